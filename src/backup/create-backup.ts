import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { readVersion } from '../config/version.ts';
import { readSecretFiles } from '../data-dir/data-dir.ts';
import { openSuppressionFile, suppressionFileName } from '../data-dir/suppression-file.ts';
import { codeOf } from '../domain/errors.ts';
import { type Dump, withDump } from '../records/database/dump.ts';
import { supportedSchema } from '../records/database/schema-version.ts';
import { eachOf } from './each-of.ts';
import { compressed, readSetFiles, type SetFile, writeFileList } from './file-list.ts';
import { readFileAt } from './folder-target.ts';
import {
  fileList,
  listSets,
  type Manifest,
  once,
  type Part,
  readManifest,
  suppressionsPart,
  tablePart,
  writeManifest,
} from './manifest.ts';
import { createMeter } from './meter.ts';
import type { OnProgress } from './progress.ts';
import { BackupError, type BackupTarget, sharedFiles } from './target.ts';

export interface CreateBackup {
  readonly config: Config;
  readonly database: { readonly url: string; readonly schema: string };
  readonly target: BackupTarget;
  readonly set: string;
  /** Whether deleted files are still kept. */
  readonly filesAreHeld: () => Promise<boolean>;
  readonly onProgress: OnProgress;
}

/** A file of the data dir that the database needs. */
interface NeededFile {
  readonly path: string;
  /** Null if the database does not know its size. */
  readonly size: number | null;
}

const filesAtOnce = 4;

/**
 * The compressed rows of a table are rarely larger than the table itself. Rows of random bytes, which do not
 * compress, are about as large.
 */
const compressedAtMost = 2;

/**
 * Makes a set. Call it under the file hold: from before the snapshot until the last file is copied, no
 * process deletes files, so every file that the snapshot names is copied. The signal must abort when the
 * lock is lost.
 */
export async function createBackup(
  { config, database, target, set, filesAreHeld, onProgress }: CreateBackup,
  signal: AbortSignal,
): Promise<Manifest> {
  const parts: Part[] = [];
  const { about, needed } = await withDump(
    database,
    async (dump) => {
      if (dump.schemaVersion !== supportedSchema) {
        throw new BackupError(
          `The database has schema version ${dump.schemaVersion}, but this Tributary supports version ${supportedSchema}: use the version of Tributary that the service runs`,
        );
      }
      await refuseForeignTarget(target, dump.installationId);
      let bytesDone = 0;
      for (const table of dump.tables) {
        signal.throwIfAborted();
        const rows = createMeter((bytes) => {
          bytesDone += bytes;
          onProgress({ step: 'database', bytesDone, bytesTotal: 0 });
        });
        const mostBytes = compressedAtMost * (await dump.bytesOf(table));
        await putPart(tablePart(table), compressed(rows.through(dump.copy(table))), mostBytes);
      }
      const { copy: _, bytesOf: __, runs: ___, blobs: ____, ...described } = dump;
      return { about: described, needed: await neededFiles(config, dump) };
    },
    signal,
  );

  const known = await knownFiles(target);
  const { files, missing, newBytes } = await copyFiles(needed, known);
  await putPart(fileList, writeFileList(files));
  for (const [name, content] of Object.entries(await readSecretFiles(config))) {
    await putPart(name, once(Buffer.from(content)));
  }
  if (await openSuppressionFile(config.dataDir).end()) {
    await putPart(suppressionsPart, compressed(readFileAt(config.dataDir, suppressionFileName)));
  }

  const manifest: Manifest = {
    format: 1,
    set,
    tributary: readVersion(),
    taken_at: about.takenAt.toISOString(),
    finished_at: new Date().toISOString(),
    schema_version: about.schemaVersion,
    installation_id: about.installationId,
    key_check: about.keyCheck.toString('base64'),
    latest_change: about.latestChange,
    tables: about.tables,
    sequences: about.sequences,
    parts,
    files: files.length,
    file_bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    new_bytes: newBytes,
    missing,
    elsewhere: dataElsewhere(config),
  };
  // A process that was frozen has lost the lock, and files of this set may be gone.
  signal.throwIfAborted();
  if (!(await filesAreHeld())) throw new BackupError('The lock on the files was lost. Try again.');
  await writeManifest(target, manifest);
  return manifest;

  async function putPart(
    path: string,
    content: AsyncIterable<Uint8Array>,
    mostBytes?: number,
  ): Promise<void> {
    const meter = createMeter();
    await target.put(`${set}/${path}`, meter.through(content), mostBytes);
    parts.push({ path, ...meter.result() });
  }

  async function copyFiles(wanted: readonly NeededFile[], before: Map<string, SetFile>) {
    const sized = await withSizes(config.dataDir, wanted);
    const fresh = sized.filter(({ path, size }) => before.get(path)?.bytes !== size);
    const bytesTotal = fresh.reduce((sum, { size }) => sum + (size ?? 0), 0);
    let bytesDone = 0;
    onProgress({ step: 'files', bytesDone, bytesTotal });
    const copied = new Map<string, SetFile>();
    const lost: string[] = [];
    await eachOf(
      fresh,
      filesAtOnce,
      async ({ path, size }) => {
        if (size === null) {
          lost.push(path);
          return;
        }
        const meter = createMeter((bytes) => {
          bytesDone += bytes;
          onProgress({ step: 'files', bytesDone, bytesTotal });
        });
        const content = meter.through(readFileAt(config.dataDir, path));
        await target.put(`${sharedFiles}/${path}`, content, size);
        copied.set(path, { path, ...meter.result() });
      },
      signal,
    );
    return {
      files: sized.flatMap(({ path }) => copied.get(path) ?? before.get(path) ?? []),
      missing: lost.sort(),
      newBytes: bytesDone,
    };
  }
}

/** Run files and blobs are immutable, so a file that the newest set lists need not be copied again. */
async function knownFiles(target: BackupTarget): Promise<Map<string, SetFile>> {
  const newest = await newestSet(target);
  if (!newest) return new Map();
  const listed = await readSetFiles(target, await readManifest(target, newest));
  const sizes = new Map<string, number>();
  for await (const { path, size } of target.listFiles()) sizes.set(path, size);
  return new Map(
    listed
      .filter(({ path, bytes }) => sizes.get(`${sharedFiles}/${path}`) === bytes)
      .map((file) => [file.path, file]),
  );
}

export async function newestSet(target: BackupTarget): Promise<string | undefined> {
  return (await listSets(target)).findLast(({ isComplete }) => isComplete)?.set;
}

/** Sets of two services in one place would lose the files that they share. */
async function refuseForeignTarget(target: BackupTarget, installationId: string): Promise<void> {
  const newest = await newestSet(target);
  if (!newest) return;
  if ((await readManifest(target, newest)).installation_id === installationId) return;
  throw new BackupError(
    `${target.address} holds backups of another service: use another folder or prefix`,
  );
}

/** The files of the data dir that the database needs. */
export async function neededFiles(
  { clickhouse, objects }: Config,
  dump: Dump,
): Promise<NeededFile[]> {
  const runFiles = clickhouse ? [] : new Set((await dump.runs()).map(({ file }) => file));
  const blobs = objects.kind === 'disk' ? await dump.blobs() : [];
  return [
    ...[...runFiles].map((file) => ({ path: `warehouse/${file}`, size: null })),
    ...blobs.map(({ name, size }) => ({ path: `objects/${name.slice(0, 2)}/${name}`, size })),
  ];
}

/** The sizes of the files as they are. Null: the file is lost, or is not as long as it was. */
export async function withSizes(
  dataDir: string,
  files: readonly NeededFile[],
): Promise<{ path: string; size: number | null }[]> {
  const sized: { path: string; size: number | null }[] = [];
  for (const { path, size } of files) {
    const found = await stat(join(dataDir, path)).catch((error) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    });
    const isWhole = found !== null && (size === null || size === found.size);
    sized.push({ path, size: isWhole ? found.size : null });
  }
  return sized;
}

/** Data of the service that the command does not back up. */
export function dataElsewhere({ clickhouse, objects, bucket, secretKeys }: Config): string[] {
  return [
    ...(clickhouse ? [`device sets in ClickHouse, database ${clickhouse.database}`] : []),
    ...(objects.kind === 's3' ? [`objects in the bucket ${bucket}`] : []),
    ...(secretKeys ? ['the secret key, which is in TRIBUTARY_SECRET_KEY'] : []),
  ];
}
