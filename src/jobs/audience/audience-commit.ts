import { emitFileFailures } from '../../actions/job-events.ts';
import { failureCodeOf, keepFirst, noticeSuppressed } from '../../domain/import-problems.ts';
import { limits } from '../../domain/limits.ts';
import type { FileReading } from '../../intake/intake.ts';
import type { ObjectVersion } from '../../objects/port.ts';
import type { LoadedFile } from '../../records/audiences/audience-files.ts';
import type { AudienceLabel } from '../../records/audiences/audience-labels.ts';
import type { AudienceLoad } from '../../records/audiences/audience-loads.ts';
import type { MatchedDevices } from '../../records/audiences/audiences.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import type { StagedRun } from '../../records/warehouse/manifest.ts';
import { inSpan } from '../../trace/span.ts';
import type { Load, Warehouse } from '../../warehouse/port.ts';
import type { JobEnd } from '../worker/job-handler.ts';
import { commitFiltered, stageFiltered } from '../worker/suppression.ts';
import type { FoldWait } from './fold-wait.ts';
import { createLabelRegistry, type LabelRegistry } from './label-registry.ts';

export interface CommitDependencies {
  readonly records: Records;
  readonly warehouse: Warehouse;
  readonly waitForFold: FoldWait;
}

/** A file and the result of reading it. If it failed, none of its rows are in the load. */
export interface FinishedFile {
  readonly version: ObjectVersion;
  readonly reading: Pick<FileReading, 'outcome' | 'validRows' | 'problems'>;
  /** The number of labels that the audience has after this file. */
  readonly labelCount: number;
}

export type LoadedRows = Pick<JobEnd, 'rows' | 'errorCode'>;

/** Makes files part of an audience, one commit after the other. */
export interface AudienceCommits {
  readonly labels: LabelRegistry;
  /** The runs that each commit added to the audience. Commits that added none are left out. */
  readonly added: readonly (readonly StagedRun[])[];
  /** The rows that the commits added, and why the first of the failed files failed. */
  readonly loaded: LoadedRows;
  commit(load: Load, files: readonly FinishedFile[]): Promise<void>;
}

export async function createAudienceCommits(
  deps: CommitDependencies,
  claim: Claim,
  audience: AudienceLoad,
  signal: AbortSignal,
): Promise<AudienceCommits> {
  const { records } = deps;
  const known: AudienceLabel[] = await records.audienceLabels.of(audience.audienceId);
  const labels = createLabelRegistry(
    known.map(({ label }) => label),
    limits.labelsPerAudience.most,
  );
  const added: (readonly StagedRun[])[] = [];
  let loaded: LoadedRows = { rows: 0, errorCode: undefined };

  /** The new labels among the first `labelCount`, each with a segment. */
  async function newLabels(labelCount: number): Promise<AudienceLabel[]> {
    const fresh = labels.labels().slice(known.length, labelCount);
    const segmentIds = await records.audienceLabels.reserveSegments(fresh.length);
    return fresh.map((label, i) => ({ label, segmentId: segmentIds[i]! }));
  }

  return {
    labels,
    added,
    get loaded() {
      return loaded;
    },
    async commit(load, files) {
      // A file that was read but is committed later may have added labels already.
      const fresh = await newLabels(files.at(-1)!.labelCount);
      const segmentIds = [...known, ...fresh].map(({ segmentId }) => segmentId);
      const meaning = { segmentIds, everyRow: audience.segmentId, mode: 'merge' } as const;
      const staged = await inSpan('stage', () => stageFiltered(records, load, meaning, signal));
      const { change } = staged;
      const runs = change.add.filter(({ segmentId }) => segmentId === audience.segmentId);
      const matched = await inSpan('match', () => countMatched(deps, audience, runs, signal));
      const ended = withNotice(files.map(loadedFile), staged.suppressedDevices, audience.path);
      const uploaded = ended.reduce((sum, { rows }) => sum + rows, 0);
      const { audienceId } = audience;
      const commit = async (tx: Records, problems: readonly LoadedFile['problems'][]) => {
        await tx.audienceLoads.lockAudienceAndClaim(claim, audience);
        await tx.audienceLabels.add(audienceId, fresh);
        await tx.manifest.apply(change, audience.isFirst ? 'load' : 'append');
        const shown = ended.map((file, i) => ({ ...file, problems: problems[i]! }));
        await tx.audienceFiles.end(audienceId, shown);
        await tx.audiences.addUploaded({ audienceId, jobId: claim.jobId }, uploaded, matched);
        await tx.usage.addRows(claim.partnerId, uploaded);
        const failures = shown.filter(({ outcome }) => outcome === 'failed');
        const { partnerId } = claim;
        const place = { partnerId, audienceId, path: audience.path };
        const reasons = failures.flatMap((file) => keepFirst(file.problems).slice(0, 1));
        await emitFileFailures(tx, place, reasons);
      };
      const problems = ended.map((file) => file.problems);
      await inSpan('commit', () => commitFiltered(deps, staged, problems, commit, signal));
      loaded = {
        rows: loaded.rows + uploaded,
        errorCode: loaded.errorCode ?? failureCodeOf(problems.flat()),
      };
      known.push(...fresh);
      if (runs.length > 0) added.push(runs);
    },
  };
}

/** How many devices of the audience, including the staged ones, are in the universe. */
async function countMatched(
  { records, warehouse, waitForFold }: CommitDependencies,
  audience: AudienceLoad,
  staged: readonly StagedRun[],
  signal: AbortSignal,
): Promise<MatchedDevices> {
  const before = await records.audiences.matched(audience.audienceId);
  if (staged.length === 0) return before;
  await waitForFold(signal);
  const { segmentId, version } = await records.universe.state();
  const isCurrent = before.universeVersion === version;
  const counted = isCurrent ? { staged } : { segmentId: audience.segmentId, staged };
  const [devices = 0] = await warehouse.overlap(counted, [segmentId], signal);
  const matchedDevices = isCurrent ? before.matchedDevices + devices : devices;
  return { matchedDevices, universeVersion: version };
}

/** Adds how many devices were left out to the report of the first file that was loaded. */
function withNotice(
  files: readonly LoadedFile[],
  devices: number,
  path: string,
): readonly LoadedFile[] {
  const good = files.filter(({ outcome }) => outcome === 'done');
  const [first] = good;
  return files.map((file) => {
    if (file !== first) return file;
    const place = good.length === 1 ? file.s3Path : path;
    return { ...file, problems: noticeSuppressed(file.problems, devices, place) };
  });
}

function loadedFile({ version, reading }: FinishedFile): LoadedFile {
  const isGood = reading.outcome === 'read';
  return {
    s3Path: version.key,
    etag: version.etag,
    outcome: isGood ? 'done' : 'failed',
    rows: isGood ? reading.validRows : 0,
    problems: reading.problems,
  };
}
