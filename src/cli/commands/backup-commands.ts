import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { BackupProgress } from '../../backup/progress.ts';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { paths } from '../../client/openapi.ts';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/settings.ts';
import { bytes, count, type OutputOptions, print, table, time } from '../output/print.ts';
import { progressLine } from '../output/progress-bar.ts';
import { createStatusLine } from '../output/status-line.ts';

type ReadConfig = (settings?: Environment) => Config;

const pollMs = 300;
const withoutTarget = ' (default: TRIBUTARY_BACKUP_TARGET)';

/**
 * If a service runs in the data dir, it makes and removes the sets, because only it reaches its database.
 * Otherwise the command does so itself. It always reads and restores sets itself.
 */
export function addBackupCommands(
  backup: Command,
  readConfig: ReadConfig,
  connect: () => Promise<TributaryClient>,
): void {
  backup
    .command('create [target]')
    .description(
      `back up the service, also while it runs, to a folder or s3://bucket/prefix${withoutTarget}`,
    )
    .option('--json', 'print JSON')
    .action(async (target: string | undefined, options: OutputOptions) => {
      const here = await load();
      const config = readConfig();
      const { target: place } = here.wholeTarget(config, target);
      const made = await withProgress(async (show, signal) =>
        (await here.isServiceRunning(config))
          ? requestBackup(await connect(), { action: 'create', target: place }, show, signal)
          : here.createHere(config, place, show, signal),
      );
      const lines = [
        `Backup ${made.set}: ${count(made.files ?? 0)} files and the database, ${bytes(made.bytes ?? 0)}, of which ${bytes(made.new_bytes ?? 0)} are new.`,
        ...here.dataElsewhere(config).map((what) => `Not in the backup: ${what}.`),
        ...(made.problem === null ? [] : [`Warning: ${made.problem}`]),
      ];
      print(made, lines.join('\n'), options);
    });

  backup
    .command('list [target]')
    .description(`list the sets of a target, oldest first${withoutTarget}`)
    .option('--json', 'print JSON')
    .action(async (target: string | undefined, options: OutputOptions) => {
      const { listHere } = await load();
      const sets = await listHere(readConfig(), target);
      const rows = sets.map(({ set, state, manifest }) => ({
        set,
        state,
        'taken at': time(manifest?.taken_at),
        files: manifest ? count(manifest.files) : null,
        size: manifest ? bytes(manifest.file_bytes) : null,
        new: manifest ? bytes(manifest.new_bytes) : null,
      }));
      print(sets, table(rows, 'There are no sets.', ['files', 'size', 'new']), options);
    });

  backup
    .command('verify [target-or-set]')
    .description(`read every byte of all sets, or of one, and compare checksums${withoutTarget}`)
    .option('--json', 'print JSON')
    .action(async (address: string | undefined, options: OutputOptions) => {
      const { verifyHere } = await load();
      const verified = await withProgress((show, signal) =>
        verifyHere(readConfig(), address, show, signal),
      );
      const { sets, files, problems, warnings } = verified;
      const lines = [
        ...warnings.map((warning) => `Warning: ${warning}`),
        ...problems,
        `${count(sets.length)} sets, ${count(files)} files (${bytes(verified.bytes)}): ${problems.length === 0 ? 'everything matches' : `${count(problems.length)} problems`}.`,
      ];
      print(verified, lines.join('\n'), options);
      if (problems.length > 0) process.exitCode = 1;
    });

  backup
    .command('restore [target-or-set]')
    .description(
      `restore a set, or the newest one of a target, into an empty folder${withoutTarget}`,
    )
    .requiredOption('--into <data-dir>', 'the new data dir: an empty or new folder')
    .option('--json', 'print JSON')
    .action(async (address: string | undefined, options: OutputOptions & { into: string }) => {
      const { restoreHere } = await load();
      const config = readConfig({ TRIBUTARY_DATA_DIR: options.into });
      const manifest = await withProgress((show, signal) =>
        restoreHere(config, address, show, signal),
      );
      const lines = [
        `Restored ${manifest.set}, the state of ${time(manifest.taken_at)}, into ${config.dataDir}.`,
        ...manifest.elsewhere.map((what) => `Not in the set, so not restored: ${what}.`),
        `Start the service with TRIBUTARY_DATA_DIR=${config.dataDir}. Jobs that ran at that time run again.`,
      ];
      print(manifest, lines.join('\n'), options);
    });

  backup
    .command('remove <set>')
    .description('remove a set, and the files that no other set needs')
    .option('--json', 'print JSON')
    .action(async (address: string, options: OutputOptions) => {
      const here = await load();
      const config = readConfig();
      const { target, set } = here.namedSet(config, address);
      const removed = await withProgress(async (show, signal) =>
        (await here.isServiceRunning(config))
          ? requestBackup(await connect(), { action: 'remove', target, set }, show, signal)
          : here.removeHere(config, address, signal),
      );
      const text = `Removed ${set}: ${count(removed.files ?? 0)} files, ${bytes(removed.bytes ?? 0)}.`;
      print(removed, text, options);
    });
}

type BackupRequest =
  paths['/admin/v1/backups']['post']['requestBody']['content']['application/json'];

/** Lets the service do it, and waits for the outcome. */
async function requestBackup(
  client: TributaryClient,
  body: BackupRequest,
  show: (progress: BackupProgress) => void,
  signal: AbortSignal,
) {
  const { backup_id } = await answerOf(client.POST('/admin/v1/backups', { body }));
  const params = { path: { backup_id: String(backup_id) } };
  for (;;) {
    const entry = await answerOf(client.GET('/admin/v1/backups/{backup_id}', { params }));
    if (entry.state === 'done') return entry;
    if (entry.state === 'failed') throw new Error(entry.problem ?? 'the backup failed');
    const { bytes_done: bytesDone, bytes_total: bytesTotal } = entry;
    if (bytesDone > 0) show({ step: bytesTotal > 0 ? 'files' : 'database', bytesDone, bytesTotal });
    await sleep(pollMs, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}

function load() {
  return import('../../process/backup.ts');
}

/** Shows a bar on a terminal, and a line every ten seconds elsewhere. */
async function withProgress<T>(
  work: (show: (progress: BackupProgress) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const line = createStatusLine(process.stderr, 10_000);
  const startedAt = performance.now();
  const show = ({ step, bytesDone, bytesTotal }: BackupProgress) => {
    const seconds = (performance.now() - startedAt) / 1000;
    const text = bytesTotal === 0 ? bytes(bytesDone) : progressLine(bytesDone, bytesTotal, seconds);
    line.show(`${step}  ${text}`);
  };
  try {
    return await work(show, untilInterrupted());
  } finally {
    line.end();
  }
}

/** Ctrl-C ends the work in order: the outcome is recorded and the database is stopped. */
function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => interrupted.abort(new Error('interrupted')));
  }
  return interrupted.signal;
}
