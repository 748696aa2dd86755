import type { RejectedRow } from '../../intake/intake.ts';

/** Writes a file's rejected rows in batches while the file is read. */
export interface RejectWriter {
  add(reject: RejectedRow): void;
  /** Waits until all rows are written. Throws the first error. */
  end(): Promise<void>;
}

// Rows are cut at 1 KiB, so a batch is at most 1 MiB.
const rejectsPerBatch = 1_000;

export function createRejectWriter(
  write: (rejects: readonly RejectedRow[]) => Promise<void>,
): RejectWriter {
  let batch: RejectedRow[] = [];
  let written = Promise.resolve();

  function writeBatch(): void {
    const rejects = batch;
    batch = [];
    written = written.then(() => write(rejects));
    // `end` throws the error; until then it must not count as unhandled.
    written.catch(() => {});
  }

  return {
    add(reject) {
      batch.push(reject);
      if (batch.length === rejectsPerBatch) writeBatch();
    },
    async end() {
      if (batch.length > 0) writeBatch();
      await written;
    },
  };
}
