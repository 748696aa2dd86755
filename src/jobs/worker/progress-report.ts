import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';

/**
 * Writes the progress of a running job, and of its files, to the records in the background. It never
 * delays the job. `F` identifies a file.
 */
export interface ProgressReport<F> extends AsyncDisposable {
  /** Resets all counts and enters the files. */
  begin(bytesTotal: number, enterFiles: () => Promise<void>): Promise<void>;
  beginFile(): FileCounts;
  /** Marks a file to be written next time. */
  markChanged(file: F): void;
  /** Starts a write now, unless one is under way. */
  flush(): void;
  /** Stops the periodic writes and waits for the current one. */
  stop(): Promise<void>;
  /** Writes everything that is still unwritten, in the transaction that ends the job. */
  write(tx: Records): Promise<void>;
}

/** Counts the bytes and rows of one file. */
interface FileCounts {
  countBytes(bytes: number): void;
  countRows(rows: number): void;
  /** Replaces the rows counted so far by the total. */
  end(totalRows: number): void;
  /** Subtracts everything counted for this file. */
  discard(): void;
}

export interface ProgressOptions<F> {
  /** Writes the changed files, before the progress itself. */
  writeFiles(tx: Records, files: readonly F[]): Promise<void>;
  readonly everyMs?: number | undefined;
}

const defaultEveryMs = 1_000;

export function createProgressReport<F>(
  records: Records,
  claim: Claim,
  { writeFiles, everyMs = defaultEveryMs }: ProgressOptions<F>,
): ProgressReport<F> {
  const changedFiles = new Set<F>();
  let bytesRead = 0;
  let bytesTotal = 0;
  let rowsRead = 0;
  let writing: Promise<void> | undefined;

  async function write(tx: Records): Promise<void> {
    const files = [...changedFiles];
    changedFiles.clear();
    try {
      if (files.length > 0) await writeFiles(tx, files);
      await tx.jobProgress.save(claim, { bytesRead, bytesTotal, rowsRead });
    } catch (error) {
      for (const file of files) changedFiles.add(file);
      throw error;
    }
  }

  function flush(): void {
    // After a failure, the next write or the end of the job writes the same again.
    writing ??= records
      .inTransaction(write)
      .catch(() => {})
      .finally(() => {
        writing = undefined;
      });
  }

  const timer = setInterval(flush, everyMs);

  async function stop(): Promise<void> {
    clearInterval(timer);
    await writing;
  }

  return {
    async begin(total, enterFiles) {
      await writing;
      changedFiles.clear();
      bytesRead = rowsRead = 0;
      bytesTotal = total;
      await enterFiles();
      await records.inTransaction(write);
    },

    beginFile() {
      let bytes = 0;
      let rows = 0;
      return {
        countBytes(more) {
          bytes += more;
          bytesRead += more;
        },
        countRows(more) {
          rows += more;
          rowsRead += more;
        },
        end(totalRows) {
          rowsRead += totalRows - rows;
          rows = totalRows;
        },
        discard() {
          bytesRead -= bytes;
          rowsRead -= rows;
          bytes = rows = 0;
        },
      };
    },

    markChanged: (file) => void changedFiles.add(file),
    flush,
    stop,
    write,
    [Symbol.asyncDispose]: stop,
  };
}
