import { dirname } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { paths } from '../../client/openapi.ts';
import type { AddAction } from '../commands/add-action.ts';
import { bytes, card, count, table, time } from '../output/print.ts';
import { createStatusLine } from '../output/status-line.ts';
import {
  addArchive,
  followCycle,
  followSession,
  saveAmendments,
  saveAnswers,
} from './drop-progress.ts';

type Status =
  paths['/admin/v1/privacy/drop']['get']['responses'][200]['content']['application/json'];
type Evidence =
  paths['/admin/v1/privacy/cycles/{cycle_id}']['get']['responses'][200]['content']['application/json'];

interface SyncOptions {
  readonly manual?: string;
  readonly wait: boolean;
}

export function addDropCommands(drop: Command, addAction: AddAction): void {
  addAction(
    drop
      .command('sync')
      .description("fetch California's deletion lists now, delete matching devices, and report")
      .option(
        '--manual <zip>',
        'process a ZIP file from the portal, and write the response beside it',
      )
      .option('--no-wait', 'return at once; the worker continues'),
    async (client, { manual, wait }: SyncOptions) => {
      if (manual !== undefined) return syncManually(client, manual, wait);
      const requested = await answerOf(client.POST('/admin/v1/privacy/drop/sync'));
      if (!wait) return { answer: requested, text: 'A worker will call DROP.' };
      const status = await shown((show) => followSession(client, requested, show));
      return { answer: status, text: statusText(status) };
    },
  );

  addAction(
    drop.command('status').description('show the last calls of DROP and the open cycles'),
    async (client) => {
      const status = await answerOf(client.GET('/admin/v1/privacy/drop'));
      return { answer: status, text: statusText(status) };
    },
  );

  addAction(
    drop.command('cycles [id]').description('list the cycles, or show the evidence of one'),
    async (client, id: string | undefined) => {
      if (id !== undefined) {
        const cycle = await answerOf(client.GET('/admin/v1/privacy/cycles/{cycle_id}', at(id)));
        return { answer: cycle, text: evidenceText(cycle) };
      }
      const cycles = await answerOf(client.GET('/admin/v1/privacy/cycles'));
      return { answer: cycles, text: cyclesText(cycles) };
    },
  );

  addAction(
    drop
      .command('answers <cycle> [folder]')
      .description('write the response files of a cycle into a folder, for the portal'),
    async (client, id: string, folder: string | undefined) => {
      const cycle = await answerOf(client.GET('/admin/v1/privacy/cycles/{cycle_id}', at(id)));
      const saved = await saveAnswers(client, cycle, folder ?? '.');
      return { answer: saved, text: saved.join('\n') || 'The cycle has no files yet.' };
    },
  );

  addAction(
    drop.command('close <cycle>').description('end a cycle that you settled in the portal'),
    async (client, id: string) => {
      const cycle = await answerOf(
        client.POST('/admin/v1/privacy/cycles/{cycle_id}/close', at(id)),
      );
      return { answer: cycle, text: evidenceText(cycle) };
    },
  );
}

function at(id: string) {
  if (!/^[1-9]\d*$/.test(id)) throw new InvalidArgumentError(`${id} is not the id of a cycle`);
  return { params: { path: { cycle_id: id } } };
}

async function syncManually(client: TributaryClient, zip: string, wait: boolean) {
  const added = await addArchive(client, zip);
  const id = String(added.cycle_id);
  if (!wait) {
    const text = `Cycle ${id}. When it is answered, run "tributary drop answers ${id}".`;
    return { answer: added, text };
  }
  const cycle = await shown((show) => followCycle(client, id, show));
  const folder = dirname(zip);
  const saved = await saveAnswers(client, cycle, folder);
  const amendments = await saveAmendments(client, folder);
  const next =
    saved.length === 0
      ? ['The lists need no answer.']
      : [
          ...saved.map((file) => `Written: ${file}`),
          `Upload these files in the portal, then run "tributary drop close ${id}".`,
        ];
  for (const { file, cycleId } of amendments) {
    next.push(
      `Written: ${file}. Upload it as an amendment, then run "tributary drop close ${cycleId}".`,
    );
  }
  return { answer: cycle, text: [evidenceText(cycle), '', ...next].join('\n') };
}

/** Shows a line on a terminal, and one every ten seconds elsewhere. Ctrl-C ends only the command. */
async function shown<T>(work: (show: (text: string) => void) => Promise<T>): Promise<T> {
  const line = createStatusLine(process.stderr, 10_000);
  try {
    return await work(line.show);
  } finally {
    line.end();
  }
}

function statusText(status: Status): string {
  const about = card({
    'API key': status.is_automatic ? 'set' : 'none: only archives from the portal are processed',
    'last access': time(status.accessed_at),
    'next download': time(status.next_session_at),
    problem: status.problem,
    'problem since': time(status.problem_since),
  });
  const parts = [about, cyclesText(status.open_cycles, 'No cycle is open.')];
  const amendments = status.open_amendments.map(({ cycle_id, name }) => ({
    cycle: String(cycle_id),
    'amendment to upload': name,
  }));
  if (amendments.length > 0) parts.push(table(amendments, ''));
  if (status.calls.length > 0) parts.push(callsText(status.calls.slice(0, 5)));
  return parts.join('\n\n');
}

function cyclesText(cycles: Status['open_cycles'], whenEmpty = 'There are no cycles.'): string {
  const rows = cycles.map((cycle) => ({
    cycle: String(cycle.cycle_id),
    archive: cycle.archive_name,
    from: cycle.kind,
    state: cycle.state,
    items: cycle.items,
    downloaded: time(cycle.downloaded_at),
    ended: time(cycle.ended_at),
    problem: cycle.problem,
  }));
  return table(rows, whenEmpty);
}

function callsText(calls: Status['calls']): string {
  const rows = calls.map((call) => ({
    call: call.operation,
    times: call.calls,
    last: time(call.last_at),
    status: call.status === null ? '-' : String(call.status),
    answer: call.message.slice(0, 80),
  }));
  return table(rows, '');
}

function evidenceText(cycle: Evidence): string {
  const about = card({
    cycle: String(cycle.cycle_id),
    state: cycle.state,
    problem: cycle.problem,
    archive: `${cycle.archive_name} (${bytes(cycle.archive_bytes ?? 0)})`,
    'SHA-256': cycle.archive_sha256,
    items: `${count(cycle.items)}: ${count(cycle.deleted)} deleted, ${count(cycle.not_found)} not found`,
    'malformed rows': cycle.malformed_rows,
    'repeated rows': cycle.repeated_rows,
    withdrawn: `${count(cycle.removed_rows)}, lifted ${count(cycle.lifted)}`,
    downloaded: time(cycle.downloaded_at),
    suppressed: time(cycle.suppressed_at),
    matched: time(cycle.matched_at),
    removed: time(cycle.removed_at),
    deleted: time(cycle.deleted_at),
    answered: time(cycle.answered_at),
    ended: time(cycle.ended_at),
  });
  const lists = cycle.lists.map((list) => ({
    list: list.file,
    rows: list.rows,
    processed: list.is_refused ? 'no' : 'yes',
    'SHA-256': list.sha256,
  }));
  const files = cycle.files.map((file) => ({
    file: file.name,
    kind: file.kind,
    deleted: file.deleted,
    'not found': file.not_found,
    state: file.state,
    sent: time(file.sent_at),
    status: file.status === null ? '-' : String(file.status),
    answer: file.answer,
    'SHA-256': file.sha256,
  }));
  const parts = [about];
  if (lists.length > 0) parts.push(table(lists, ''));
  if (files.length > 0) parts.push(table(files, ''));
  if (cycle.calls.length > 0) parts.push(callsText(cycle.calls));
  return parts.join('\n\n');
}
