import { enterAudienceFiles } from '../../actions/enter-audience-files.ts';
import type { ObjectVersion } from '../../objects/port.ts';
import type { AudienceLoad } from '../../records/audiences/audience-loads.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import { createProgressReport, type ProgressReport } from '../worker/progress-report.ts';
import { createRejectWriter } from '../worker/reject-writer.ts';
import type { FileWatch } from './audience-files.ts';

/** Tells, while an audience is loaded, how far that has come, and which files have begun. */
export interface AudienceReport
  extends Pick<ProgressReport<string>, 'stop' | 'write'>,
    AsyncDisposable {
  /** The files to be loaded. */
  begin(files: readonly ObjectVersion[]): Promise<void>;
  watch(version: ObjectVersion, position: number): FileWatch;
}

export function createAudienceReport(
  records: Records,
  claim: Claim,
  load: AudienceLoad,
): AudienceReport {
  const progress = createProgressReport<string>(records, claim, {
    async writeFiles(tx, s3Paths) {
      await tx.audienceLoads.lockAudienceAndClaim(claim, load);
      await tx.audienceFiles.begin(load.audienceId, s3Paths);
    },
  });

  return {
    async begin(files) {
      const bytesTotal = files.reduce((sum, { size }) => sum + size, 0);
      await progress.begin(bytesTotal, async (tx) => {
        await tx.audienceLoads.lockAudienceAndClaim(claim, load);
        const s3Paths = files.map(({ key }) => key);
        await enterAudienceFiles(tx, claim, load, s3Paths);
      });
    },

    watch(version, position) {
      const counts = progress.beginFile();
      const rejects = createRejectWriter((batch) => records.rejects.add(claim, position, batch));
      progress.mention(version.key);
      progress.tell();
      return {
        countBytes: counts.countBytes,
        countRows: counts.countRows,
        reject(row) {
          counts.countRows(1);
          rejects.add(row);
        },
        async end(totalRows) {
          counts.end(totalRows);
          await rejects.end();
        },
        async takeBack() {
          counts.takeBack();
          await rejects.end();
          await records.rejects.removeOfFile(claim, position);
        },
        async [Symbol.asyncDispose]() {
          // What kept them from being written was thrown where it was asked for.
          await rejects.end().catch(() => {});
        },
      };
    },

    stop: progress.stop,
    write: progress.write,
    [Symbol.asyncDispose]: progress.stop,
  };
}
