import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';

/**
 * Tells, while a job runs, how far it has come, without ever holding it up; and what is new of its
 * files, each of which is named by an `F`.
 */
export interface ProgressReport<F> extends AsyncDisposable {
  /**
   * So many bytes are to be read. What was counted before is forgotten, and `enter` writes what
   * else is to be known from now on.
   */
  begin(bytesTotal: number, enter: (tx: Records) => Promise<void>): Promise<void>;
  beginFile(): FileCounts;
  /** There is something new of that file. */
  mention(file: F): void;
  /** Writes what there is to tell now, unless something is being written. */
  tell(): void;
  /** Ends the telling by the second, and waits for what is being written. */
  stop(): Promise<void>;
  /** Writes what was not told yet, in the transaction that ends the job. */
  write(tx: Records): Promise<void>;
}

/** What is counted of a file while it is read. */
interface FileCounts {
  countBytes(bytes: number): void;
  countRows(rows: number): void;
  /** The file has so many rows, however many were counted of it. */
  end(totalRows: number): void;
  /** As if nothing had been read of it. */
  takeBack(): void;
}

export interface ProgressOptions<F> {
  /** Writes what is new of files, before the progress itself is written. */
  writeFiles(tx: Records, files: readonly F[]): Promise<void>;
  readonly everyMs?: number | undefined;
}

const usuallyEveryMs = 1_000;

export function createProgressReport<F>(
  records: Records,
  claim: Claim,
  { writeFiles, everyMs = usuallyEveryMs }: ProgressOptions<F>,
): ProgressReport<F> {
  const untold = new Set<F>();
  let bytesRead = 0;
  let bytesTotal = 0;
  let rowsRead = 0;
  let writing: Promise<void> | undefined;

  async function write(tx: Records): Promise<void> {
    const files = [...untold];
    untold.clear();
    try {
      if (files.length > 0) await writeFiles(tx, files);
      await tx.jobProgress.save(claim, { bytesRead, bytesTotal, rowsRead });
    } catch (error) {
      for (const file of files) untold.add(file);
      throw error;
    }
  }

  function tell(): void {
    // What could not be written is written the next time, or with the end of the job.
    writing ??= records
      .inTransaction(write)
      .catch(() => {})
      .finally(() => {
        writing = undefined;
      });
  }

  const timer = setInterval(tell, everyMs);

  async function stop(): Promise<void> {
    clearInterval(timer);
    await writing;
  }

  return {
    async begin(total, enter) {
      await writing;
      untold.clear();
      bytesRead = rowsRead = 0;
      bytesTotal = total;
      await records.inTransaction(async (tx) => {
        await enter(tx);
        await write(tx);
      });
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
        takeBack() {
          bytesRead -= bytes;
          rowsRead -= rows;
          bytes = rows = 0;
        },
      };
    },

    mention: (file) => void untold.add(file),
    tell,
    stop,
    write,
    [Symbol.asyncDispose]: stop,
  };
}
