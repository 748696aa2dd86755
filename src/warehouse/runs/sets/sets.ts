import type { ThreadPool } from '../../../threads/thread-pool.ts';
import { type DeviceRange, everywhere, rangesBetween } from '../devices/device-range.ts';
import { createDigestTables } from '../digests/digest-tables.ts';
import {
  createRunOpener,
  type OpenedRun,
  type RunOpener,
  reportRemovedRuns,
} from '../file/run-opener.ts';
import { createBatchBuffers } from './batch-buffers.ts';
import type { Gathered, LivingNumbers, RangeTooLarge } from './gather-range.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { type Cut, devicesOf, packed } from './opened-runs.ts';
import type { PackedRuns } from './packed-runs.ts';
import { createProfiles, type Profiles } from './profiles.ts';
import { type GatheredInto, type GatherInto, gatherCapacity, type SetTasks } from './set-tasks.ts';

/** Reads sets of runs on threads, range by range of device ids, in bounded memory. */
export interface Sets extends RunOpener {
  /** How many devices of one set each segment holds. */
  overlap(
    of: readonly OpenedRun[],
    against: readonly (readonly OpenedRun[])[],
    signal: AbortSignal,
  ): Promise<number[]>;
  /** How many distinct devices the runs hold. */
  count(runs: readonly OpenedRun[], signal: AbortSignal): Promise<number>;
  /** Yields the devices in ascending batches. A batch is valid until the next one is requested. */
  gather(request: GatherRequest, signal: AbortSignal): AsyncGenerator<Gathered>;
  readonly profiles: Profiles;
}

/** Devices of `take` that `within`, if given, also holds and the others do not. */
export interface GatherRequest {
  readonly take: readonly OpenedRun[];
  readonly within?: readonly OpenedRun[];
  readonly without?: readonly OpenedRun[];
  readonly withoutProfiled?: readonly LivingNumbers[];
  /** If given, only devices whose digests these runs hold. */
  readonly digested?: readonly OpenedRun[];
}

interface SetsOptions {
  readonly directory: string;
  readonly pool: ThreadPool<SetTasks>;
  /** How many devices a thread of the pool gathers at a time. */
  readonly capacity?: number;
}

/**
 * In smaller ranges, more pages cross a bound and are read twice. With this size a process with two
 * threads was seen to use 380 MB.
 */
const overlapRangeDevices = 1_250_000;

export function createSets({ directory, pool, capacity = gatherCapacity }: SetsOptions): Sets {
  const opener = createRunOpener(directory, (input) => pool.run('readIndexes', input));
  const { run } = reportRemovedRuns(pool);
  const digestTables = createDigestTables((input) => run('fillDigestTable', input));
  const atOnce = pool.size + 1;
  const buffers = createBatchBuffers(capacity, atOnce);
  // Somewhat less than fits, because ranges are not cut evenly.
  const gatherRangeDevices = Math.ceil(capacity * 0.9);

  const cut: Cut = async (runs, devicesPerRange, signal) => {
    signal.throwIfAborted();
    if (devicesOf(runs) <= devicesPerRange) return [everywhere];
    const input = { runs: packed(runs), range: everywhere, devicesPerRange };
    return rangesBetween(await run('cut', input), everywhere);
  };

  async function overlap(
    of: readonly OpenedRun[],
    against: readonly (readonly OpenedRun[])[],
    signal: AbortSignal,
  ): Promise<number[]> {
    const counts = against.map(() => 0);
    // The same number of ranges for each thread, so that all finish at about the same time.
    const rounds = Math.ceil(devicesOf(of) / (overlapRangeDevices * pool.size));
    const perRange = Math.ceil(devicesOf(of) / (rounds * pool.size));
    const isSmall = devicesOf(of) <= overlapRangeDevices;
    const ranges = isSmall ? [everywhere] : await cut(of, perRange, signal);
    // With few ranges, several threads share a range and each takes some of the segments.
    const groupCount = Math.min(against.length, Math.ceil((2 * pool.size) / ranges.length));
    const groups = groupSegments(against, groupCount);
    const set = packed(of);
    const tasks = inBatches(ranges, pool.size).flatMap((some) =>
      groups.map((group) => ({ ranges: some, ...group })),
    );
    const done = mapConcurrently(tasks, atOnce, async ({ segments, ...task }) => {
      signal.throwIfAborted();
      return { segments, held: await run('overlap', { of: set, ...task }) };
    });
    for await (const { segments, held } of done) {
      for (const [i, segment] of segments.entries()) counts[segment]! += held[i]!;
    }
    return counts;
  }

  async function countRange(
    runs: PackedRuns,
    range: DeviceRange,
    signal: AbortSignal,
  ): Promise<number> {
    signal.throwIfAborted();
    const outcome = await run('count', { runs, range });
    if (typeof outcome === 'number') return outcome;
    let sum = 0;
    for (const part of rangesBetween(outcome.cutAt, range)) {
      sum += await countRange(runs, part, signal);
    }
    return sum;
  }

  async function count(runs: readonly OpenedRun[], signal: AbortSignal): Promise<number> {
    const ranges = await cut(runs, gatherRangeDevices, signal);
    const list = packed(runs);
    let sum = 0;
    const counts = mapConcurrently(ranges, atOnce, (range) => countRange(list, range, signal));
    for await (const devices of counts) sum += devices;
    return sum;
  }

  async function* gather(request: GatherRequest, signal: AbortSignal): AsyncGenerator<Gathered> {
    const { take, within, without = [], withoutProfiled = [], digested } = request;
    if (take.length === 0) return;
    const ranges = await cut(take, gatherRangeDevices, signal);
    const runs = {
      take: packed(take),
      within: within ? packed(within) : null,
      without: packed(without),
      withoutProfiled,
      digested: digested ? await digestTables(digested) : null,
    };
    const outcomes = mapConcurrently(ranges, atOnce, async (range) => {
      signal.throwIfAborted();
      const buffer = buffers.take();
      const input = { ...runs, range, into: buffer.devices };
      return { buffer, input, outcome: await run('gather', input) };
    });
    for await (const { buffer, input, outcome } of outcomes) {
      yield* gatherParts(input, outcome, signal);
      buffers.giveBack(buffer);
    }
  }

  /** Yields what was gathered; if the range was too large, gathers its parts instead. */
  async function* gatherParts(
    input: GatherInto,
    outcome: GatheredInto | RangeTooLarge,
    signal: AbortSignal,
  ): AsyncGenerator<Gathered> {
    if (!('cutAt' in outcome)) {
      yield { devices: input.into.subarray(0, outcome.words), held: outcome.held };
      return;
    }
    for (const range of rangesBetween(outcome.cutAt, input.range)) {
      signal.throwIfAborted();
      const part = { ...input, range };
      yield* gatherParts(part, await run('gather', part), signal);
    }
  }

  const profiles = createProfiles({ run, cut, atOnce, capacity, buffers });
  return { open: opener.open, overlap, count, gather, profiles };
}

export async function* devicesIn(batches: AsyncIterable<Gathered>): AsyncGenerator<Uint32Array> {
  for await (const { devices } of batches) yield devices;
}

/** Puts several ranges into a task, because a thread unpacks all runs again for each task. */
function inBatches(ranges: readonly DeviceRange[], threads: number): DeviceRange[][] {
  const size = Math.max(1, Math.min(8, Math.floor(ranges.length / (4 * threads))));
  return Array.from({ length: Math.ceil(ranges.length / size) }, (_, i) =>
    ranges.slice(i * size, (i + 1) * size),
  );
}

interface SegmentGroup {
  /** Positions of the segments in the request. */
  readonly segments: readonly number[];
  readonly against: PackedRuns;
  /** Where the runs of each segment end. */
  readonly ends: readonly number[];
}

/** Divides the segments into groups with about the same number of devices. */
function groupSegments(against: readonly (readonly OpenedRun[])[], count: number): SegmentGroup[] {
  const groups = Array.from({ length: count }, (): number[] => []);
  const bySize = against.map((runs, segment) => ({ segment, devices: devicesOf(runs) }));
  bySize.sort((a, b) => b.devices - a.devices);
  for (const [i, { segment }] of bySize.entries()) groups[i % count]!.push(segment);
  return groups.map((segments) => {
    let end = 0;
    const ends = segments.map((segment) => (end += against[segment]!.length));
    return { segments, against: packed(segments.flatMap((segment) => against[segment]!)), ends };
  });
}
