import { enterAudienceFiles } from '../../actions/enter-audience-files.ts';
import type { RejectedRow } from '../../intake/intake.ts';
import type { ObjectVersion } from '../../objects/port.ts';
import type { AudienceLoad } from '../../records/audiences/audience-loads.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import { createRejectKeeper } from '../worker/keep-rejects.ts';
import { createProgressReport, type ProgressReport } from '../worker/progress-report.ts';
import { createRejectWriter } from '../worker/reject-writer.ts';

/** Reports the progress of a load and which of its files have started. */
export interface AudienceReport
  extends Pick<ProgressReport<string>, 'stop' | 'write'>,
    AsyncDisposable {
  /** Takes the files to be loaded. */
  begin(files: readonly ObjectVersion[]): Promise<void>;
  reportFile(version: ObjectVersion, position: number): AudienceFileReport;
}

/** Reports on one file while it is read. */
export interface AudienceFileReport extends AsyncDisposable {
  countBytes(bytes: number): void;
  countRows(rows: number): void;
  reject(row: RejectedRow): void;
  /** Returns how many rejected rows were kept. */
  end(totalRows: number): Promise<number>;
  /** Undoes the report of a file that was replaced while it was read. */
  discard(): Promise<void>;
}

export function createAudienceReport(
  deps: Parameters<typeof createRejectKeeper>[0],
  claim: Claim,
  load: AudienceLoad,
  signal: AbortSignal,
): AudienceReport {
  const { records } = deps;
  const keepRejects = createRejectKeeper(deps, claim, signal);
  const progress = createProgressReport<string>(records, claim, {
    async writeFiles(tx, s3Paths) {
      await tx.audienceLoads.lockAudienceAndClaim(claim, load);
      await tx.audienceFiles.begin(load.audienceId, s3Paths);
    },
  });

  return {
    async begin(files) {
      const bytesTotal = files.reduce((sum, { size }) => sum + size, 0);
      const s3Paths = files.map(({ key }) => key);
      await progress.begin(bytesTotal, () => enterAudienceFiles(records, claim, load, s3Paths));
    },

    reportFile(version, position) {
      const counts = progress.beginFile();
      const rejects = createRejectWriter((batch) => keepRejects(position, batch));
      progress.markChanged(version.key);
      progress.flush();
      return {
        countBytes: counts.countBytes,
        countRows: counts.countRows,
        reject(row) {
          counts.countRows(1);
          rejects.add(row);
        },
        async end(totalRows) {
          counts.end(totalRows);
          return rejects.end();
        },
        async discard() {
          counts.discard();
          await rejects.end();
          await records.rejects.removeOfFile(claim, position);
        },
        async [Symbol.asyncDispose]() {
          // `end` and `discard` have already thrown the error.
          await rejects.end().catch(() => {});
        },
      };
    },

    stop: progress.stop,
    write: progress.write,
    [Symbol.asyncDispose]: progress.stop,
  };
}
