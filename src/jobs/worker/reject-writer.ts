import type { RejectedRow } from '../../intake/intake.ts';
import type { KeptRejects } from './keep-rejects.ts';

/** Writes a file's rejected rows in batches while the file is read. */
export interface RejectWriter {
  add(reject: RejectedRow): void;
  /** Waits until all rows are written, and returns how many were kept. Throws the first error. */
  end(): Promise<number>;
}

// Rows are cut at 1 KiB, so a batch is at most 1 MiB.
const rejectsPerBatch = 1_000;

/** After `write` says that the limit is reached, no more rows are written. */
export function createRejectWriter(
  write: (rejects: readonly RejectedRow[]) => Promise<KeptRejects>,
): RejectWriter {
  let batch: RejectedRow[] = [];
  let kept = 0;
  let isFull = false;
  let written = Promise.resolve();

  async function writeUnlessFull(rejects: readonly RejectedRow[]): Promise<void> {
    if (isFull) return;
    const written = await write(rejects);
    kept += written.kept;
    isFull = written.isFull;
  }

  function writeBatch(): void {
    const rejects = batch;
    batch = [];
    written = written.then(() => writeUnlessFull(rejects));
    // `end` throws the error; until then it must not count as unhandled.
    written.catch(() => {});
  }

  return {
    add(reject) {
      if (isFull) return;
      batch.push(reject);
      if (batch.length === rejectsPerBatch) writeBatch();
    },
    async end() {
      if (batch.length > 0) writeBatch();
      await written;
      return kept;
    },
  };
}
