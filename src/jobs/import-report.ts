import type { FileReading } from '../intake/intake.ts';
import type { FileProgress } from '../records/import-files.ts';
import type { Claim } from '../records/jobs.ts';
import type { Records } from '../records/records.ts';

/** Tells, while an import runs, how far it has come, without ever holding it up. */
export interface ImportReport extends AsyncDisposable {
  /** The files to be read. Forgets what was told of an earlier reading. */
  begin(files: readonly { readonly s3Path: string; readonly bytes: number }[]): Promise<void>;
  beginFile(position: number): FileReport;
  /** Ends the telling by the second, and waits for what is being written. */
  stop(): Promise<void>;
  /** Writes what was not told yet, in the transaction that ends the import. */
  write(tx: Records): Promise<void>;
}

interface FileReport {
  countBytes(bytes: number): void;
  countRows(rows: number): void;
  countReject(): void;
  end(reading: Pick<FileReading, 'outcome' | 'totalRows' | 'rejectedRows'>): void;
}

const usuallyEveryMs = 1_000;

export function createImportReport(
  records: Records,
  claim: Claim,
  everyMs = usuallyEveryMs,
): ImportReport {
  const files = new Map<number, FileProgress>();
  const untold = new Set<number>();
  let bytesRead = 0;
  let bytesTotal = 0;
  let rowsOfEnded = 0;
  let rowsOfCurrent = 0;
  let writing: Promise<void> | undefined;

  function note(position: number, file: FileProgress): void {
    files.set(position, file);
    untold.add(position);
  }

  async function write(tx: Records): Promise<void> {
    const positions = [...untold];
    untold.clear();
    try {
      if (positions.length > 0) {
        const told = positions.map((position) => ({ position, ...files.get(position)! }));
        await tx.importFiles.updateAll(claim, told);
      }
      const rowsRead = rowsOfEnded + rowsOfCurrent;
      await tx.jobProgress.note(claim, { bytesRead, bytesTotal, rowsRead });
    } catch (error) {
      for (const position of positions) untold.add(position);
      throw error;
    }
  }

  const timer = setInterval(() => {
    // What could not be written is written the next time, or with the end of the import.
    writing ??= records
      .inTransaction(write)
      .catch(() => {})
      .finally(() => {
        writing = undefined;
      });
  }, everyMs);

  async function stop(): Promise<void> {
    clearInterval(timer);
    await writing;
  }

  return {
    async begin(found) {
      await writing;
      files.clear();
      untold.clear();
      bytesRead = rowsOfEnded = rowsOfCurrent = 0;
      bytesTotal = found.reduce((sum, { bytes }) => sum + bytes, 0);
      const s3Paths = found.map(({ s3Path }) => s3Path);
      await records.inTransaction(async (tx) => {
        await tx.importFiles.begin(claim, s3Paths);
        await write(tx);
      });
    },

    beginFile(position) {
      let validRows = 0;
      let rejectedRows = 0;

      function tell(): void {
        rowsOfCurrent = validRows + rejectedRows;
        note(position, { state: 'running', totalRows: rowsOfCurrent, rejectedRows });
      }

      tell();
      return {
        countBytes(bytes) {
          bytesRead += bytes;
        },
        countRows(rows) {
          validRows += rows;
          tell();
        },
        countReject() {
          rejectedRows++;
          tell();
        },
        end(reading) {
          const { totalRows } = reading;
          rowsOfEnded += totalRows;
          rowsOfCurrent = 0;
          const state = reading.outcome === 'read' ? 'done' : 'failed';
          note(position, { state, totalRows, rejectedRows: reading.rejectedRows });
        },
      };
    },

    stop,
    write,
    [Symbol.asyncDispose]: stop,
  };
}
