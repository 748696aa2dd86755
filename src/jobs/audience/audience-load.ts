import type { Logger } from 'pino';
import { failAudienceLoad } from '../../actions/fail-audience-load.ts';
import { emitAudiences, emitFileFailures } from '../../actions/job-events.ts';
import type { Disclosures } from '../../domain/disclosure/disclosure.ts';
import { isStorageFull, messageOf } from '../../domain/errors.ts';
import {
  failureCodeOf,
  type ImportProblem,
  wholeImportProblem,
} from '../../domain/import-problems.ts';
import { LoadBeyondQuota } from '../../domain/quotas.ts';
import type { Intake } from '../../intake/intake.ts';
import type { ObjectStore, ObjectVersion } from '../../objects/port.ts';
import type { AudienceLoad } from '../../records/audiences/audience-loads.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { RejectAllowance } from '../../records/queue/rejects.ts';
import type { Records } from '../../records/records.ts';
import { inSpan } from '../../trace/span.ts';
import type { Warehouse } from '../../warehouse/port.ts';
import { openFiles } from '../parts/open-files.ts';
import type { FilePart, SharingLimits } from '../parts/plan-parts.ts';
import {
  fileChanged,
  listFiles,
  openSharedSource,
  type SharedSource,
  SourceFailure,
  TooManyFiles,
} from '../worker/file-source.ts';
import { isUnavailable, type JobHandler } from '../worker/job-handler.ts';
import { limitSource } from '../worker/small-job.ts';
import { type AudienceCommits, createAudienceCommits, type LoadedRows } from './audience-commit.ts';
import { loadAudienceFiles } from './audience-files.ts';
import { audienceKeys, openAudiencePart } from './audience-part.ts';
import { type AudienceReport, createAudienceReport } from './audience-report.ts';
import { type Appended, refreshComposition } from './composition.ts';
import { createFoldWait, type FoldWait } from './fold-wait.ts';

export interface AudienceLoadDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly intake: Intake;
  readonly warehouse: Warehouse;
  /** The share of rejected rows above which a file fails. */
  readonly rejectLimit: number;
  readonly rejectAllowance?: RejectAllowance | undefined;
  /** A job with more files fails. */
  readonly maxFiles: number;
  /** Which jobs other workers may read parts of. Undefined: none. */
  readonly sharing?: SharingLimits | undefined;
  readonly disclosures: Disclosures;
  readonly log: Logger;
  /** How long a job waits for the universe to be folded. */
  readonly foldWaitMs?: number;
  /** Memory for the rows of a file that may still fail. A file with more rows has its own commit. */
  readonly pendingBytes?: number;
}

/** Loads a partner's files into an audience, each one completely or not at all. */
export function createAudienceLoad(deps: AudienceLoadDependencies): JobHandler {
  const { records, objects } = deps;
  return {
    async run(claim, signal) {
      const audience = await records.audienceLoads.request(claim.jobId);
      await using source = limitSource(
        openSharedSource(objects, audience.path, audience.etag),
        claim,
      );
      await using report = createAudienceReport(deps, claim, audience, signal);
      const waitForFold = createFoldWait(deps, deps.foldWaitMs);
      const loading = { claim, audience, source, report, waitForFold, signal };
      const outcome = await loadNewFiles(deps, loading);
      if ('appended' in outcome) {
        const { appended } = outcome;
        await inSpan('composition', () => computeComposition(deps, loading, appended));
      }
      await report.stop();
      await records.inTransaction(async (tx) => {
        await tx.audienceLoads.lockAudienceAndClaim(claim, audience);
        await report.write(tx);
        if ('problem' in outcome) await failAudienceLoad(tx, claim.jobId, outcome.problem);
        await tx.audienceLoads.keepFileProblems([claim.jobId]);
        await tx.audiences.touchLoaded(audience.audienceId);
        await tx.jobs.settle(claim, 'problem' in outcome ? 'failed' : 'done');
        const { partnerId } = claim;
        if ('problem' in outcome) {
          await emitFileFailures(tx, { partnerId, ...audience }, [outcome.problem]);
        } else {
          const { audienceId } = audience;
          await emitAudiences(tx, 'audience.loaded', [{ partnerId, audienceId }], deps.disclosures);
        }
      });
      const { rows, errorCode } = outcome;
      return { outcome: errorCode ? 'failed' : 'done', rows, errorCode };
    },

    async giveUp(tx, jobId, problem) {
      await failAudienceLoad(tx, jobId, problem);
      await tx.audienceLoads.keepFileProblems([jobId]);
      await tx.audiences.touchLost(jobId);
    },
  };
}

interface Loading {
  readonly claim: Claim;
  readonly audience: AudienceLoad;
  readonly source: SharedSource;
  readonly report: AudienceReport;
  readonly waitForFold: FoldWait;
  readonly signal: AbortSignal;
}

/** What the load added to the audience, or why it failed as a whole. */
type LoadOutcome = LoadedRows &
  ({ readonly appended: Appended } | { readonly problem: ImportProblem });

async function loadNewFiles(
  deps: AudienceLoadDependencies,
  { claim, audience, source, report, waitForFold, signal }: Loading,
): Promise<LoadOutcome> {
  const { warehouse, intake, rejectLimit } = deps;
  let loads = 0;
  let commits: AudienceCommits | undefined;
  const failed = (problem: ImportProblem) => ({
    problem,
    rows: commits?.loaded.rows ?? 0,
    errorCode: failureCodeOf([problem]),
  });
  try {
    const found = await listFiles(source, deps.maxFiles);
    if (found.length === 0) return failed(noFiles(audience));
    const files = await withoutLoaded(deps.records, audience, found);
    await report.begin(files);
    commits = await createAudienceCommits({ ...deps, waitForFold }, claim, audience, signal);
    const open = (part: FilePart) =>
      openAudiencePart(intake, source, { rejectLimit, signal }, part);
    const opened = await openFiles(deps, files, {
      claim,
      keys: audienceKeys,
      partsAtOnce: intake.filesAtOnce,
      rejectLimit,
      signal,
      nameOf: source.nameOf,
      open,
      layoutOf: (version) => intake.layoutOf(source.open(version), 'audience'),
    });
    await loadAudienceFiles(
      {
        opened,
        open: (version) => open({ version, range: null, layout: null }),
        stat: source.stat,
      },
      {
        beginLoad: () => warehouse.beginLoad({ ...claim, load: loads++ }),
        labels: commits.labels,
        reportFile: report.reportFile,
        commit: commits.commit,
        pendingBytes: deps.pendingBytes,
      },
    );
    const appended = { generation: audience.generation, commits: commits.added };
    return { appended, ...commits.loaded };
  } catch (error) {
    signal.throwIfAborted();
    if (isStorageFull(error)) return failed(storageFull(error));
    if (error instanceof LoadBeyondQuota) return failed(beyondQuota(error));
    if (error instanceof TooManyFiles) return failed(error.problem);
    if (error instanceof SourceFailure) await source.failureOf(error.cause);
    throw error;
  }
}

/** Leaves out files whose current version is already loaded. */
async function withoutLoaded(
  records: Records,
  audience: AudienceLoad,
  found: readonly ObjectVersion[],
): Promise<ObjectVersion[]> {
  const keys = found.map(({ key }) => key);
  const loaded = await records.audienceFiles.loaded(audience.audienceId, keys);
  return found.filter(({ key, etag }) => loaded.get(key) !== etag);
}

/** A failure here does not fail the load: a maintenance task computes the composition later. */
async function computeComposition(
  deps: AudienceLoadDependencies,
  { audience: { audienceId }, waitForFold, signal }: Loading,
  appended: Appended,
): Promise<void> {
  try {
    await refreshComposition({ ...deps, waitForFold }, audienceId, signal, appended);
  } catch (error) {
    signal.throwIfAborted();
    if (isUnavailable(error)) throw error;
    deps.log.error({ err: error, audience: audienceId }, 'composition failed');
  }
}

function noFiles({ path, etag }: AudienceLoad): ImportProblem {
  if (etag !== null) return fileChanged(path);
  return wholeImportProblem(
    'no_files',
    `No object found at or under ${JSON.stringify(path)}. Upload the files, then append their path to the audience.`,
  );
}

function beyondQuota(error: LoadBeyondQuota): ImportProblem {
  return wholeImportProblem('quota_exceeded', `${error.message} Unfinished files were not loaded.`);
}

function storageFull(error: unknown): ImportProblem {
  return wholeImportProblem(
    'storage_full',
    `There is not enough space to load the files. ${messageOf(error)} Unfinished files were not loaded. Append them again when the operator has freed space.`,
  );
}
