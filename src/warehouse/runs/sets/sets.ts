import { codeOf, messageOf } from '../../../domain/errors.ts';
import type { Run } from '../../../records/warehouse/manifest.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import { type DeviceRange, everywhere, rangesBetween } from '../devices/device-range.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { createRunOpener, type HeldRun, RunFileRemoved } from '../file/run-opener.ts';
import type { Gathered, TooMany } from './gather-range.ts';
import { inOrder } from './map-concurrently.ts';
import { listRuns, type RunList } from './packed-runs.ts';
import { type GatheredInto, type GatherInto, gatherCapacity, type SetTasks } from './set-tasks.ts';

/** Reads sets of runs with threads, part by part of the device space, within a bounded memory. */
export interface Sets {
  /**
   * Opens the runs that there are now, to be read until `held` is disposed of, whatever becomes of
   * them in the manifest; only if they lie in many files, one may be gone: `RunFileRemoved`.
   */
  open(
    runsNow: () => Promise<readonly Run[]>,
    held: AsyncDisposableStack,
  ): Promise<readonly HeldRun[]>;
  /** How many devices of one set each of the segments holds. */
  overlap(
    of: readonly HeldRun[],
    against: readonly (readonly HeldRun[])[],
    signal: AbortSignal,
  ): Promise<number[]>;
  /** How many distinct devices the runs hold. */
  count(runs: readonly HeldRun[], signal: AbortSignal): Promise<number>;
  /** The devices asked for, ascending, in batches, each good until the next is asked for. */
  gather(request: GatherRequest, signal: AbortSignal): AsyncGenerator<Gathered>;
}

/** Devices of `take`; if `within` is given, only those that it holds; none that `without` holds. */
export interface GatherRequest {
  readonly take: readonly HeldRun[];
  readonly within?: readonly HeldRun[];
  readonly without?: readonly HeldRun[];
}

interface SetsOptions {
  readonly directory: string;
  readonly pool: ThreadPool<SetTasks>;
  /** As many devices as the pool's threads gather at a time. */
  readonly capacity?: number;
}

/**
 * Smaller ranges have more pages that reach out of them and are read again. With this, a process of
 * two threads was seen at 380 MB.
 */
const overlapRangeDevices = 1_250_000;

export function createSets({ directory, pool, capacity = gatherCapacity }: SetsOptions): Sets {
  const opener = createRunOpener(directory, (input) => pool.run('readIndexes', input));
  const run = runningIn(pool);
  const atOnce = pool.size + 1;
  // Somewhat less than fits, for cuts are not quite even.
  const gatherRangeDevices = Math.ceil(capacity * 0.9);

  async function cut(
    runs: readonly HeldRun[],
    devicesPerRange: number,
    signal: AbortSignal,
  ): Promise<DeviceRange[]> {
    signal.throwIfAborted();
    if (devicesOf(runs) <= devicesPerRange) return [everywhere];
    const input = { runs: listed(runs), range: everywhere, devicesPerRange };
    return rangesBetween(await run('cut', input), everywhere);
  }

  async function overlap(
    of: readonly HeldRun[],
    against: readonly (readonly HeldRun[])[],
    signal: AbortSignal,
  ): Promise<number[]> {
    const counts = against.map(() => 0);
    // As many ranges for each thread, so that none is left with the last one.
    const rounds = Math.ceil(devicesOf(of) / (overlapRangeDevices * pool.size));
    const perRange = Math.ceil(devicesOf(of) / (rounds * pool.size));
    const isSmall = devicesOf(of) <= overlapRangeDevices;
    const ranges = isSmall ? [everywhere] : await cut(of, perRange, signal);
    // A set of few ranges is looked into by several threads at once, each for some of the segments.
    const shares = Math.min(against.length, Math.ceil((2 * pool.size) / ranges.length));
    const shared = shareOf(against, shares);
    const set = listed(of);
    const tasks = inBatches(ranges, pool.size).flatMap((some) =>
      shared.map((share) => ({ ranges: some, ...share })),
    );
    const done = inOrder(tasks, atOnce, async ({ share, ...task }) => {
      signal.throwIfAborted();
      return { share, held: await run('overlap', { of: set, ...task }) };
    });
    for await (const { share, held } of done) {
      for (const [i, segment] of share.entries()) counts[segment]! += held[i]!;
    }
    return counts;
  }

  async function countRange(
    runs: RunList,
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

  async function count(runs: readonly HeldRun[], signal: AbortSignal): Promise<number> {
    const ranges = await cut(runs, gatherRangeDevices, signal);
    const list = listed(runs);
    let sum = 0;
    const counts = inOrder(ranges, atOnce, (range) => countRange(list, range, signal));
    for await (const devices of counts) sum += devices;
    return sum;
  }

  async function* gather(request: GatherRequest, signal: AbortSignal): AsyncGenerator<Gathered> {
    const { take, within, without = [] } = request;
    if (take.length === 0) return;
    const ranges = await cut(take, gatherRangeDevices, signal);
    const runs = {
      take: listed(take),
      within: within ? listed(within) : null,
      without: listed(without),
    };
    // Shared and used again, for memory that is sent to and fro is given back late.
    const buffers: Uint32Array<SharedArrayBuffer>[] = [];
    const bufferDevices = Math.min(capacity, devicesOf(take));
    const outcomes = inOrder(ranges, atOnce, async (range) => {
      signal.throwIfAborted();
      const input = { ...runs, range, into: buffers.pop() ?? newBuffer(bufferDevices) };
      return { input, outcome: await run('gather', input) };
    });
    for await (const { input, outcome } of outcomes) {
      yield* gatherAgain(input, outcome, signal);
      buffers.push(input.into);
    }
  }

  /** What was gathered, or that of the parts of a range that had to be cut. */
  async function* gatherAgain(
    input: GatherInto,
    outcome: GatheredInto | TooMany,
    signal: AbortSignal,
  ): AsyncGenerator<Gathered> {
    if (!('cutAt' in outcome)) {
      yield { devices: input.into.subarray(0, outcome.words), held: outcome.held };
      return;
    }
    for (const range of rangesBetween(outcome.cutAt, input.range)) {
      signal.throwIfAborted();
      const part = { ...input, range };
      yield* gatherAgain(part, await run('gather', part), signal);
    }
  }

  return { open: opener.open, overlap, count, gather };
}

function runningIn(pool: ThreadPool<SetTasks>): ThreadPool<SetTasks>['run'] {
  return (name, input, options) =>
    pool.run(name, input, options).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      throw new RunFileRemoved(messageOf(error), { cause: error });
    });
}

function newBuffer(devices: number): Uint32Array<SharedArrayBuffer> {
  const bytes = devices * wordsPerDevice * Uint32Array.BYTES_PER_ELEMENT;
  return new Uint32Array(new SharedArrayBuffer(bytes));
}

function listed(runs: readonly HeldRun[]): RunList {
  return listRuns(runs.map(({ open }) => open));
}

export function devicesOf(runs: readonly HeldRun[]): number {
  return runs.reduce((sum, { run }) => sum + run.devices, 0);
}

/** A task has several of many ranges, for a thread has to take note of all runs for each task. */
function inBatches(ranges: readonly DeviceRange[], threads: number): DeviceRange[][] {
  const size = Math.max(1, Math.min(8, Math.floor(ranges.length / (4 * threads))));
  return Array.from({ length: Math.ceil(ranges.length / size) }, (_, i) =>
    ranges.slice(i * size, (i + 1) * size),
  );
}

interface Share {
  /** Numbers of the segments. */
  readonly share: readonly number[];
  readonly against: RunList;
  /** Where the runs of each segment end. */
  readonly ends: readonly number[];
}

/** The segments in so many shares that hold about as many devices each. */
function shareOf(against: readonly (readonly HeldRun[])[], shares: number): Share[] {
  const dealt = Array.from({ length: shares }, (): number[] => []);
  const bySize = against.map((runs, segment) => ({ segment, devices: devicesOf(runs) }));
  bySize.sort((a, b) => b.devices - a.devices);
  for (const [i, { segment }] of bySize.entries()) dealt[i % shares]!.push(segment);
  return dealt.map((share) => {
    let end = 0;
    const ends = share.map((segment) => (end += against[segment]!.length));
    return { share, against: listed(share.flatMap((segment) => against[segment]!)), ends };
  });
}
