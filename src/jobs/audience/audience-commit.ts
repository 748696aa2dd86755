import type { Logger } from 'pino';
import type { LoadedFile } from '../../records/audiences/audience-files.ts';
import type { AudienceLabel } from '../../records/audiences/audience-labels.ts';
import type { AudienceLoad } from '../../records/audiences/audience-loads.ts';
import type { MatchedDevices } from '../../records/audiences/audiences.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import type { StagedRun } from '../../records/warehouse/manifest.ts';
import type { Load, Warehouse } from '../../warehouse/port.ts';
import type { ReadFile } from './audience-files.ts';
import { foldedUniverse } from './folded-universe.ts';
import { createLabelRegistry, type LabelRegistry } from './label-registry.ts';

export interface CommitDependencies {
  readonly records: Records;
  readonly warehouse: Warehouse;
  readonly log: Logger;
}

/** Makes files part of an audience, commit by commit. */
export interface AudienceCommits {
  readonly labels: LabelRegistry;
  /** What each commit so far added to the audience, if it added anything. */
  readonly added: readonly (readonly StagedRun[])[];
  commit(load: Load, files: readonly ReadFile[]): Promise<void>;
}

/** As many distinct labels an audience may have. */
const maxLabels = 1_000;

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
    maxLabels,
  );
  const added: (readonly StagedRun[])[] = [];

  /** The labels that are new with the first so many, and segments for them. */
  async function newLabels(labelCount: number): Promise<AudienceLabel[]> {
    const fresh = labels.labels().slice(known.length, labelCount);
    const segmentIds = await records.audienceLabels.reserveSegments(fresh.length);
    return fresh.map((label, i) => ({ label, segmentId: segmentIds[i]! }));
  }

  return {
    labels,
    added,
    async commit(load, files) {
      // Those of a file that is read but committed after these are in the book already.
      const fresh = await newLabels(files.at(-1)!.labelCount);
      const segmentIds = [...known, ...fresh].map(({ segmentId }) => segmentId);
      const meaning = { segmentIds, everyRow: audience.segmentId, mode: 'merge' } as const;
      const { change } = await load.stage(meaning, signal);
      const runs = change.add.filter(({ segmentId }) => segmentId === audience.segmentId);
      const matched = await countMatched(deps, audience, runs, signal);
      const ended = files.map(loadedFile);
      const uploaded = ended.reduce((sum, { rows }) => sum + rows, 0);
      await records.inTransaction(async (tx) => {
        await tx.audienceLoads.lockAudienceAndClaim(claim, audience);
        await tx.audienceLabels.add(audience.audienceId, fresh);
        await tx.manifest.apply(change);
        await tx.audienceFiles.end(audience.audienceId, ended);
        await tx.audiences.addUploaded(audience.audienceId, uploaded, matched);
      });
      known.push(...fresh);
      if (runs.length > 0) added.push(runs);
    },
  };
}

/** How many devices the universe has of the audience with what is staged for it. */
async function countMatched(
  { records, warehouse, log }: CommitDependencies,
  audience: AudienceLoad,
  staged: readonly StagedRun[],
  signal: AbortSignal,
): Promise<MatchedDevices> {
  const before = await records.audiences.matched(audience.audienceId);
  if (staged.length === 0) return before;
  const { segmentId, version } = await foldedUniverse({ records, warehouse, log }, signal);
  const isOfNow = before.universeVersion === version;
  const counted = isOfNow ? { staged } : { segmentId: audience.segmentId, staged };
  const [devices = 0] = await warehouse.overlap(counted, [segmentId], signal);
  const matchedDevices = isOfNow ? before.matchedDevices + devices : devices;
  return { matchedDevices, universeVersion: version };
}

function loadedFile({ version, reading }: ReadFile): LoadedFile {
  const isGood = reading.outcome === 'read';
  return {
    s3Path: version.key,
    etag: version.etag,
    outcome: isGood ? 'done' : 'failed',
    rows: isGood ? reading.validRows : 0,
    problems: reading.problems,
  };
}
