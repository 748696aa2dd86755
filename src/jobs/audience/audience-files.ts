import { wholeImportProblem } from '../../domain/import-problems.ts';
import type { RowBatch } from '../../domain/row-batch.ts';
import type { FileReading, Intake, RejectedRow } from '../../intake/intake.ts';
import { type ObjectVersion, VersionGone } from '../../objects/port.ts';
import type { Load } from '../../warehouse/port.ts';
import type { LabelRegistry } from './label-registry.ts';

export interface AudienceFiles {
  /** The files to load, in order. */
  readonly files: Iterable<ObjectVersion> | AsyncIterable<ObjectVersion>;
  /** Tells of the bytes as they come. */
  open(version: ObjectVersion, onBytes: (bytes: number) => void): AsyncIterable<Uint8Array>;
  /** The version that stands there now, after one was replaced; undefined if it is gone. */
  stat(key: string): Promise<ObjectVersion | undefined>;
}

export interface AudienceLoading {
  readonly intake: Intake;
  beginLoad(): Load;
  readonly labels: LabelRegistry;
  readonly rejectLimit: number;
  readonly signal: AbortSignal;
  /** What a file may hold back in memory until it is known to be good; 16 MiB unless given. */
  readonly heldBytes?: number;
  /** Begins telling of a file, the one at that position among the files. */
  watch?(version: ObjectVersion, position: number): FileWatch;
  /** Makes the files' rows part of the audience, together with what is written about each file. */
  commit(load: Load, files: readonly ReadFile[]): Promise<void>;
}

/** What is told of a file while it is read. */
export interface FileWatch extends AsyncDisposable {
  countBytes(bytes: number): void;
  countRows(rows: number): void;
  reject(row: RejectedRow): void;
  /** It was read, and has so many rows. */
  end(totalRows: number): Promise<void>;
  /** It was replaced while it was read: what was told does not count. */
  takeBack(): Promise<void>;
}

/** A file and how reading it ended; if it failed, nothing of it is in the load. */
export interface ReadFile {
  readonly version: ObjectVersion;
  readonly reading: Pick<FileReading, 'outcome' | 'validRows' | 'problems'>;
  /** How many labels the audience has with this file and those before it. */
  readonly labelCount: number;
}

const usuallyHeldBytes = 16 * 1024 * 1024;

/** How long files wait for each other's commit: many small ones then leave few runs. */
const groupMs = 10_000;

/**
 * Loads files into an audience, each whole or not at all. Files that fit into memory share a load
 * and a commit; a larger one, whose rows cannot wait for its end, has a load of its own.
 */
export async function loadAudienceFiles(
  source: AudienceFiles,
  loading: AudienceLoading,
): Promise<void> {
  await using group = createGroup(loading);
  let position = 0;
  for await (const found of source.files) {
    let version: ObjectVersion | undefined = found;
    while (version && !(await loadFile(source, version, position, group, loading))) {
      version = await source.stat(version.key);
    }
    if (!version) await group.take(goneFile(found, loading.labels), []);
    if (group.ageMs() > groupMs) await group.commit();
    position++;
  }
  await group.commit();
}

/** False if the file was replaced while it was read. */
async function loadFile(
  source: AudienceFiles,
  version: ObjectVersion,
  position: number,
  group: Group,
  loading: AudienceLoading,
): Promise<boolean> {
  const { labels } = loading;
  const labelsBefore = labels.labels().length;
  await using watch = loading.watch?.(version, position);
  await using rows = createHeldRows(group, loading);
  try {
    const reading = await loading.intake.readAudienceFile(
      source.open(version, (bytes) => watch?.countBytes(bytes)),
      {
        file: version.key,
        compressed: undefined,
        compressedBytes: version.size,
        labelNumber: labels.numberOf,
        rejectLimit: loading.rejectLimit,
        onReject: watch?.reject,
        signal: loading.signal,
      },
      (batch) => {
        watch?.countRows(batch.rows);
        return rows.add(batch);
      },
    );
    await watch?.end(reading.totalRows);
    if (reading.outcome === 'failed') labels.truncate(labelsBefore);
    await rows.settle({ version, reading, labelCount: labels.labels().length });
    return true;
  } catch (error) {
    if (!(error instanceof VersionGone)) throw error;
    labels.truncate(labelsBefore);
    await watch?.takeBack();
    return false;
  }
}

function goneFile(version: ObjectVersion, labels: LabelRegistry): ReadFile {
  const message =
    'The file was deleted before it was read. Upload it again, then append its path to the audience.';
  const problem = { ...wholeImportProblem('no_files', message), file: version.key };
  return {
    version,
    reading: { outcome: 'failed', validRows: 0, problems: [problem] },
    labelCount: labels.labels().length,
  };
}

/** Files that are committed together. */
interface Group extends AsyncDisposable {
  take(file: ReadFile, batches: readonly RowBatch[]): Promise<void>;
  ageMs(): number;
  commit(): Promise<void>;
}

function createGroup(loading: AudienceLoading): Group {
  let load: Load | undefined;
  let files: ReadFile[] = [];
  let begunAt = 0;

  async function dispose(): Promise<void> {
    const ended = load;
    load = undefined;
    await ended?.[Symbol.asyncDispose]();
  }

  return {
    async take(file, batches) {
      if (!load) {
        load = loading.beginLoad();
        begunAt = performance.now();
      }
      files.push(file);
      await Promise.all(batches.map(load.add));
    },
    ageMs: () => (load ? performance.now() - begunAt : 0),
    async commit() {
      if (!load) return;
      await loading.commit(load, files);
      files = [];
      await dispose();
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** The rows of one file, held until it ends, or on their way into a load of their own. */
function createHeldRows(group: Group, loading: AudienceLoading) {
  const { heldBytes = usuallyHeldBytes } = loading;
  let held: RowBatch[] = [];
  let bytes = 0;
  let own: Load | undefined;

  function letGo(): RowBatch[] {
    const batches = held;
    held = [];
    return batches;
  }

  return {
    async add(batch: RowBatch): Promise<void> {
      if (own) return own.add(batch);
      held.push(batch);
      // What it takes, however few of its words are rows.
      bytes += batch.words.buffer.byteLength;
      if (bytes <= heldBytes) return;
      own = loading.beginLoad();
      await Promise.all(letGo().map(own.add));
    },

    async settle(file: ReadFile): Promise<void> {
      const isGood = file.reading.outcome === 'read';
      if (own) {
        // Files are committed in their order, so those before this one go first.
        await group.commit();
        if (isGood) return loading.commit(own, [file]);
      }
      await group.take(file, isGood ? letGo() : []);
    },

    async [Symbol.asyncDispose]() {
      for (const batch of letGo()) batch.release();
      await own?.[Symbol.asyncDispose]();
    },
  };
}
