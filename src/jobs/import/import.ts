import { emitImportLogs } from '../../actions/job-events.ts';
import {
  failureCodeOf,
  type ImportProblem,
  wholeImportProblem,
} from '../../domain/import-problems.ts';
import { pathType } from '../../domain/job.ts';
import { LoadBeyondQuota } from '../../domain/quotas.ts';
import type { Records } from '../../records/records.ts';
import { inSpan } from '../../trace/span.ts';
import type { JobEnd, JobHandler } from '../worker/job-handler.ts';
import { limitSource } from '../worker/small-job.ts';
import { commitFiltered } from '../worker/suppression.ts';
import {
  type ImportFilesDependencies,
  type ImportOutcome,
  stageImportFiles,
} from './import-files.ts';
import { createImportReport } from './import-report.ts';
import { type ImportSourceDependencies, openImportSource } from './import-source.ts';

export interface ImportDependencies extends ImportSourceDependencies, ImportFilesDependencies {}

const nothingApplied = 'Nothing was applied.';

/** Loads a partner's files into its attributes: all files or none. */
export function createImport(deps: ImportDependencies): JobHandler {
  const { records } = deps;
  return {
    async run(claim, signal) {
      const request = await records.importLogs.request(claim.jobId);
      const keys = await records.attributes.segmentKeys(claim.partnerId, request.keyType);
      await using source = limitSource(await openImportSource(deps, claim, request), claim);
      await using report = createImportReport(records, claim);
      const outcome = await stageImportFiles(deps, source, {
        claim,
        request,
        keys,
        report,
        signal,
      });
      await report.stop();

      try {
        return await settle(outcome);
      } catch (error) {
        if (!(error instanceof LoadBeyondQuota)) throw error;
        // The sweep deletes the staged file later.
        const problem = wholeImportProblem('quota_exceeded', `${error.message} ${nothingApplied}`);
        const problems = [...outcome.reading.problems, problem];
        return await settle({ staged: null, reading: { ...outcome.reading, problems } });
      }

      async function settle({ staged, reading }: ImportOutcome): Promise<JobEnd> {
        const commit = async (
          tx: Records,
          [problems = []]: readonly (readonly ImportProblem[])[],
        ) => {
          await report.write(tx);
          await tx.jobs.settle(claim, staged ? 'done' : 'failed');
          const uniqueDevices = staged?.uniqueDevices ?? 0;
          await tx.importLogs.settle(claim.jobId, { ...reading, problems, uniqueDevices });
          await emitImportLogs(tx, staged ? 'import.finished' : 'import.failed', [claim]);
          // A dry run does not commit what it staged. The sweep deletes the file later.
          if (!staged || request.dryRun) return;
          await tx.manifest.apply(staged.change, request.mode === 'replace' ? 'replace' : 'import');
          if (request.pathType === pathType.sharedBucket) await tx.loadedFiles.addImport(claim);
          await tx.usage.addRows(claim.partnerId, reading.totalRows);
        };
        // What a dry run staged is not committed, so it may have any device.
        const checked = request.dryRun ? null : staged;
        await inSpan('commit', () =>
          commitFiltered(deps, checked, [reading.problems], commit, signal),
        );
        return {
          outcome: staged ? 'done' : 'failed',
          rows: reading.totalRows,
          errorCode: failureCodeOf(reading.problems),
        };
      }
    },

    async giveUp(tx, jobId, problem) {
      await tx.importLogs.settle(jobId, { uniqueDevices: 0, totalRows: 0, problems: [problem] });
    },
  };
}
