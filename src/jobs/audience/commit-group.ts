import type { RowBatch } from '../../domain/row-batch.ts';
import type { Load } from '../../warehouse/port.ts';
import type { FinishedFile } from './audience-commit.ts';

/** Where the rows of files go. */
export interface CommitTarget {
  beginLoad(): Load;
  /** Makes the files' rows part of the audience and records each file's outcome. */
  commit(load: Load, files: readonly FinishedFile[]): Promise<void>;
  /** Memory for the rows of a file that may still fail. */
  readonly pendingBytes?: number | undefined;
}

/** The rows of about 1.4 million devices. Files with more have a load of their own, which costs more. */
const defaultPendingBytes = 32 * 1024 * 1024;

/** How many batches of a group may be under way while the next file is taken, so that no thread is idle. */
const batchesUnderWay = 4;

/** Files that share a load and a commit. */
export interface CommitGroup extends AsyncDisposable {
  add(file: FinishedFile, batches: readonly RowBatch[]): Promise<void>;
  ageMs(): number;
  commit(): Promise<void>;
}

export function createCommitGroup(target: CommitTarget): CommitGroup {
  let load: Load | undefined;
  let files: FinishedFile[] = [];
  let adding: Promise<void>[] = [];
  let begunAt = 0;

  async function dispose(): Promise<void> {
    const ended = load;
    load = undefined;
    adding = [];
    await ended?.[Symbol.asyncDispose]();
  }

  return {
    async add(file, batches) {
      if (!load) {
        load = target.beginLoad();
        begunAt = performance.now();
      }
      files.push(file);
      const added = batches.map(load.add);
      // Awaited later; until then an error must not count as unhandled.
      for (const one of added) one.catch(() => {});
      adding.push(...added);
      await Promise.all(adding.splice(0, adding.length - batchesUnderWay));
    },
    ageMs: () => (load ? performance.now() - begunAt : 0),
    async commit() {
      if (!load) return;
      await Promise.all(adding);
      await target.commit(load, files);
      files = [];
      await dispose();
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/**
 * The rows of one file. They wait in memory until the file is known to be good. A file that exceeds
 * the memory gets a load of its own, at once if its size says so.
 */
export interface PendingRows extends AsyncDisposable {
  add(batch: RowBatch): Promise<void>;
  /** Commits the rows or adds them to the group; drops them if the file failed. */
  settle(file: FinishedFile): Promise<void>;
}

export function createPendingRows(
  group: CommitGroup,
  target: CommitTarget,
  fileBytes: number,
): PendingRows {
  const { pendingBytes = defaultPendingBytes } = target;
  let pending: RowBatch[] = [];
  let bytes = 0;
  // Rows usually take at least half as much memory as their file, compressed or not.
  let ownLoad = fileBytes > 2 * pendingBytes ? target.beginLoad() : undefined;

  function takePending(): RowBatch[] {
    const batches = pending;
    pending = [];
    return batches;
  }

  return {
    async add(batch) {
      if (ownLoad) return ownLoad.add(batch);
      pending.push(batch);
      // The whole buffer stays allocated, however few of its words are rows.
      bytes += batch.words.buffer.byteLength;
      if (bytes <= pendingBytes) return;
      ownLoad = target.beginLoad();
      await Promise.all(takePending().map(ownLoad.add));
    },

    async settle(file) {
      const isGood = file.reading.outcome === 'read';
      if (ownLoad) {
        // Files are committed in order, so the files before this one are committed first.
        await group.commit();
        if (isGood) return target.commit(ownLoad, [file]);
      }
      await group.add(file, isGood ? takePending() : []);
    },

    async [Symbol.asyncDispose]() {
      for (const batch of takePending()) batch.release();
      await ownLoad?.[Symbol.asyncDispose]();
    },
  };
}
