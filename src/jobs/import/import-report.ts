import type { FileReading } from '../../intake/intake.ts';
import type { ObjectVersion } from '../../objects/port.ts';
import type { FileProgress } from '../../records/marketplace/import-files.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import { createProgressReport, type ProgressReport } from '../worker/progress-report.ts';

/** Reports the progress of an import and of each of its files. */
export interface ImportReport
  extends Pick<ProgressReport<number>, 'stop' | 'write'>,
    AsyncDisposable {
  /** Takes the files to be read, and resets what an earlier reading reported. */
  begin(found: readonly ObjectVersion[], nameOf: (version: ObjectVersion) => string): Promise<void>;
  beginFile(position: number): ImportFileReport;
}

interface ImportFileReport {
  countBytes(bytes: number): void;
  countRows(rows: number): void;
  countReject(): void;
  end(reading: Pick<FileReading, 'outcome' | 'totalRows' | 'rejectedRows'>): void;
}

export function createImportReport(records: Records, claim: Claim, everyMs?: number): ImportReport {
  /** Files whose progress is not written yet, and those of the last write, which may be undone. */
  const files = new Map<number, FileProgress>();
  let lastWritten: readonly number[] = [];
  const progress = createProgressReport<number>(records, claim, {
    writeFiles(tx, positions) {
      const again = new Set(positions);
      for (const position of lastWritten) if (!again.has(position)) files.delete(position);
      lastWritten = positions;
      const changed = positions.map((position) => ({ position, ...files.get(position)! }));
      return tx.importFiles.updateAll(claim, changed);
    },
    everyMs,
  });

  function note(position: number, file: FileProgress): void {
    files.set(position, file);
    progress.markChanged(position);
  }

  return {
    async begin(found, nameOf) {
      const bytesTotal = found.reduce((sum, { size }) => sum + size, 0);
      const s3Paths = found.map(nameOf);
      files.clear();
      await progress.begin(bytesTotal, () => records.importFiles.begin(claim, s3Paths));
    },

    beginFile(position) {
      const counts = progress.beginFile();
      let totalRows = 0;
      let rejectedRows = 0;

      function noteProgress(): void {
        note(position, { state: 'running', totalRows, rejectedRows });
      }

      function countRows(rows: number): void {
        counts.countRows(rows);
        totalRows += rows;
        noteProgress();
      }

      noteProgress();
      return {
        countBytes: counts.countBytes,
        countRows,
        countReject() {
          rejectedRows++;
          countRows(1);
        },
        end(reading) {
          counts.end(reading.totalRows);
          const state = reading.outcome === 'read' ? 'done' : 'failed';
          const { totalRows, rejectedRows } = reading;
          note(position, { state, totalRows, rejectedRows });
        },
      };
    },

    stop: progress.stop,
    write: progress.write,
    [Symbol.asyncDispose]: progress.stop,
  };
}
