import type { RejectedRow } from '../../intake/intake.ts';

/** Takes a file's rejected rows as they are read, and writes them down in batches meanwhile. */
export interface RejectWriter {
  add(reject: RejectedRow): void;
  /** Resolves when all are written; throws what kept them from it. */
  end(): Promise<void>;
}

// Rows are cut at 1 KiB, so that a batch is at most 1 MiB.
const rejectsPerBatch = 1_000;

export function createRejectWriter(
  write: (rejects: readonly RejectedRow[]) => Promise<void>,
): RejectWriter {
  let batch: RejectedRow[] = [];
  let written = Promise.resolve();

  function handOn(): void {
    const rejects = batch;
    batch = [];
    written = written.then(() => write(rejects));
    // It is asked for at the end; until then a failure waits.
    written.catch(() => {});
  }

  return {
    add(reject) {
      batch.push(reject);
      if (batch.length === rejectsPerBatch) handOn();
    },
    async end() {
      if (batch.length > 0) handOn();
      await written;
    },
  };
}
