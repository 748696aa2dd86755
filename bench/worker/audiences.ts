import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Intake } from '../../src/intake/intake.ts';
import { loadAudienceFiles } from '../../src/jobs/audience/audience-files.ts';
import { openAudiencePart } from '../../src/jobs/audience/audience-part.ts';
import { createLabelRegistry, type LabelRegistry } from '../../src/jobs/audience/label-registry.ts';
import { openAhead } from '../../src/jobs/worker/open-ahead.ts';
import type { ObjectStore, ObjectVersion } from '../../src/objects/port.ts';
import type { Records } from '../../src/records/records.ts';
import type { Run } from '../../src/records/warehouse/manifest.ts';
import type { Load, Warehouse } from '../../src/warehouse/port.ts';

interface AudienceDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly intake: Intake;
  readonly warehouse: Warehouse;
  readonly warehouseFolder: string;
  readonly rejectLimit: number;
  readonly firstJobId: number;
}

export interface AudienceCounts {
  readonly devices: number;
  readonly labels: LabelCounts;
  /** The number of runs. */
  readonly runs: number;
}

/** How the objects of a load arrive. */
export interface Pace {
  /** The bytes that each object sends in a second. */
  readonly bytesPerSecond?: number;
  /** How many files may be open at once. */
  readonly filesAtOnce?: number;
}

type LabelCounts = Readonly<Record<string, number>>;

interface Audience {
  readonly segmentId: number;
  readonly labels: LabelRegistry;
  readonly labelSegments: number[];
  /** The newest run before the last load. */
  lastRunId: number;
}

const labelLimit = 1_000;
const { signal } = new AbortController();

/** Audiences as the warehouse sees them: a segment, and one for each label. */
export function createAudiences(deps: AudienceDependencies) {
  const { records, objects, intake, warehouse } = deps;
  const audiences = new Map<number, Audience>();
  let jobId = deps.firstJobId;

  function audienceOf(id: number): Audience {
    const audience = audiences.get(id);
    if (!audience) throw new Error(`unknown audience ${id}`);
    return audience;
  }

  function segmentsOf({ segmentId, labelSegments }: Audience): number[] {
    return [segmentId, ...labelSegments];
  }

  async function commit(audience: Audience, load: Load): Promise<void> {
    const { labels, labelSegments, segmentId } = audience;
    while (labelSegments.length < labels.labels().length) {
      labelSegments.push(await records.segments.create('label'));
    }
    const meaning = { segmentIds: labelSegments, everyRow: segmentId, mode: 'merge' } as const;
    const staged = await load.stage(meaning, signal);
    await records.inTransaction((tx) => tx.manifest.apply(staged.change));
  }

  return {
    async create(): Promise<number> {
      const segmentId = await records.segments.create('audience');
      const labels = createLabelRegistry([], labelLimit);
      audiences.set(segmentId, { segmentId, labels, labelSegments: [], lastRunId: 0 });
      return segmentId;
    },

    /** Loads the object with this key, or all objects whose keys start with it, and counts. */
    async load(id: number, key: string, pace: Pace): Promise<AudienceCounts> {
      const { bytesPerSecond = Number.POSITIVE_INFINITY, filesAtOnce = intake.filesAtOnce } = pace;
      const audience = audienceOf(id);
      audience.lastRunId = lastOf(await records.manifest.runsOf(segmentsOf(audience)));
      const source = {
        open: (version: ObjectVersion) => slowDown(objects.open(version, 0), bytesPerSecond),
        nameOf: (version: ObjectVersion) => version.key,
      };
      const reading = { rejectLimit: deps.rejectLimit, signal };
      const open = (version: ObjectVersion) =>
        openAudiencePart(intake, source, reading, { version, range: null, layout: null });
      await loadAudienceFiles(
        {
          opened: openAhead(objects.find(key), filesAtOnce, open),
          open,
          stat: (changed) => objects.stat(changed),
        },
        {
          beginLoad: () => warehouse.beginLoad({ jobId: ++jobId, attempt: 1 }),
          labels: audience.labels,
          async commit(load, files) {
            const failed = files.find(({ reading }) => reading.outcome === 'failed');
            if (failed) throw new Error(JSON.stringify(failed.reading.problems));
            await commit(audience, load);
          },
        },
      );
      return count(audience, await records.manifest.runsOf(segmentsOf(audience)));
    },

    /** Reverts the last load of the audience. */
    async revertLoad(id: number): Promise<void> {
      const audience = audienceOf(id);
      const runs = await records.manifest.runsOf(segmentsOf(audience));
      const drop = runs.filter(({ runId }) => runId > audience.lastRunId);
      await records.inTransaction((tx) => tx.manifest.apply({ add: [], drop }));
      for (const file of new Set(drop.map((run) => run.file))) {
        await rm(join(deps.warehouseFolder, file));
      }
    },

    /** The overlap of the audience with each of its labels, which is the whole label. */
    async overlapWithLabels(id: number): Promise<LabelCounts> {
      const audience = audienceOf(id);
      const { segmentId, labelSegments } = audience;
      return byLabel(audience, await warehouse.overlap({ segmentId }, labelSegments, signal));
    },

    overlap: (id: number, segmentIds: readonly number[]): Promise<number[]> =>
      warehouse.overlap({ segmentId: audienceOf(id).segmentId }, segmentIds, signal),
  };
}

async function* slowDown(
  bytes: AsyncIterable<Uint8Array>,
  bytesPerSecond: number,
): AsyncGenerator<Uint8Array> {
  let due = performance.now();
  for await (const chunk of bytes) {
    // A reader that waited does not get more afterwards.
    due = Math.max(due, performance.now()) + (chunk.length / bytesPerSecond) * 1_000;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    yield chunk;
  }
}

function lastOf(runs: readonly Run[]): number {
  return runs.reduce((last, { runId }) => Math.max(last, runId), 0);
}

function count(audience: Audience, runs: readonly Run[]): AudienceCounts {
  const devicesOf = (segment: number) =>
    runs
      .filter(({ segmentId }) => segmentId === segment)
      .reduce((sum, { devices }) => sum + devices, 0);
  return {
    devices: devicesOf(audience.segmentId),
    labels: byLabel(audience, audience.labelSegments.map(devicesOf)),
    runs: runs.length,
  };
}

/** Sorted by label name, because the numbering depends on the order of arrival. */
function byLabel({ labels }: Audience, counts: readonly number[]): LabelCounts {
  const entries = labels.labels().map((label, number) => [label, counts[number] ?? 0] as const);
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}
