import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import type { WarehouseCopy, WarehousePlace } from '../../records/warehouse/warehouse-copies.ts';
import { RunsMissing, type RunTransfer } from '../../warehouse/port.ts';
import type { MaintenanceTask } from '../worker/maintenance.ts';
import { compareSegments, copyRuns, type Places } from './copy-runs.ts';

export interface CopyDependencies {
  readonly records: Pick<Records, 'warehouseCopies' | 'unlessLocked'>;
  /** The place in use. */
  readonly source: RunTransfer;
  readonly from: WarehousePlace;
  openTarget(copy: WarehouseCopy): Promise<RunTransfer & AsyncDisposable>;
  /** Deletes a place that is not in use. False if this process cannot reach it, or if it is in use. */
  erase(place: WarehousePlace, isUnused: () => Promise<boolean>): Promise<boolean>;
  readonly log: Logger;
  /** Devices that are copied and recorded together. */
  readonly devicesPerStep?: number;
}

const everyMs = 2_000;
const stateEveryMs = 1_000;
const runsPerStep = 20_000;
const defaultDevicesPerStep = 4_000_000;
/** The switch begins when at most this many runs are left to copy. */
const fewRuns = 200;
const comparedSegments = 20;
/** All changes wait meanwhile. A statement that waits for a minute is cancelled, and its job loses an attempt. */
const lastRunsMs = 15_000;
const retryMs = 200;

/** Copies all device sets to the place that an operator requested, switches to it, and deletes old places. */
export function copyWarehouse(deps: CopyDependencies): MaintenanceTask {
  const { records, log } = deps;
  const { warehouseCopies } = records;

  return {
    name: 'warehouse copy',
    everyMs,
    async run(signal) {
      const seen = await warehouseCopies.latest();
      if (!seen || !hasWork(seen)) return {};
      const done = await records.unlessLocked(
        'warehouse copy',
        async (held) => {
          const copy = await warehouseCopies.latest();
          if (!copy || !hasWork(copy)) return undefined;
          return await work(copy, held).catch(async (error) => {
            if (!held.aborted) await warehouseCopies.noteProblem(copy.copyId, messageOf(error));
            throw error;
          });
        },
        signal,
      );
      return done ?? {};
    },
  };

  async function work(copy: WarehouseCopy, held: AbortSignal): Promise<Record<string, number>> {
    const { copyId } = copy;
    const isStill = async () => (await warehouseCopies.find(copyId))?.state === copy.state;
    switch (copy.state) {
      case 'aborting':
        if (!(await deps.erase(copy.to, isStill))) return {};
        await warehouseCopies.forgetFiles(copyId);
        await warehouseCopies.move(copyId, 'aborting', 'aborted');
        log.info({ place: copy.to.address }, 'warehouse copy aborted');
        return { aborted: 1 };
      case 'forgetting':
        if (!copy.from || !(await deps.erase(copy.from, isStill))) return {};
        await warehouseCopies.move(copyId, 'forgetting', 'forgotten');
        log.info({ place: copy.from.address }, 'old warehouse deleted');
        return { forgotten: 1 };
      default:
        return await untilAborted(copyId, held, (signal) => copyAll(copy, signal));
    }
  }

  /** Runs the work until an operator aborts the copy. */
  async function untilAborted(
    copyId: number,
    held: AbortSignal,
    run: (signal: AbortSignal) => Promise<Record<string, number>>,
  ): Promise<Record<string, number>> {
    const aborted = new AbortController();
    const timer = setInterval(async () => {
      const copy = await warehouseCopies.find(copyId).catch(() => undefined);
      // A forced abort does not pass through `aborting`.
      if (copy && copy.state !== 'copying') aborted.abort(new Error('the copy was aborted'));
    }, stateEveryMs);
    try {
      return await run(AbortSignal.any([held, aborted.signal]));
    } catch (error) {
      if (!aborted.signal.aborted) throw error;
      const ended = await warehouseCopies.find(copyId);
      // Nobody deletes files that were registered after a forced abort.
      if (ended?.state === 'aborted') await warehouseCopies.forgetFiles(copyId);
      return {};
    } finally {
      clearInterval(timer);
    }
  }

  async function copyAll(
    copy: WarehouseCopy,
    signal: AbortSignal,
  ): Promise<Record<string, number>> {
    const { copyId } = copy;
    await using target = await deps.openTarget(copy);
    const places = { source: deps.source, target };
    log.info({ place: copy.to.address }, 'warehouse copy started');
    await warehouseCopies.noteProblem(copyId, null);
    let runs = 0;
    for (let isVerified = false; ; ) {
      signal.throwIfAborted();
      const missing = await warehouseCopies.missing(runsPerStep);
      if (missing.length > fewRuns || !isVerified) {
        for (const step of stepsOf(missing)) runs += await copyStep(copyId, places, step, signal);
        if (missing.length <= fewRuns) isVerified = await verify(copyId, places, signal);
        continue;
      }
      const outcome = await warehouseCopies.switchOver(copyId, deps.from, (rest) =>
        copyRuns(places, rest, AbortSignal.any([signal, AbortSignal.timeout(lastRunsMs)])),
      );
      if (outcome === 'stopped') return { runs };
      if (outcome === 'switched') {
        log.info({ place: copy.to.address }, 'warehouse copy finished');
        return { runs: runs + missing.length };
      }
      for (const step of stepsOf(missing)) runs += await copyStep(copyId, places, step, signal);
      await sleep(retryMs, undefined, { signal });
    }
  }

  function* stepsOf(runs: readonly Run[]): Generator<Run[]> {
    let step: Run[] = [];
    let devices = 0;
    for (const run of runs) {
      step.push(run);
      devices += run.devices;
      if (devices < (deps.devicesPerStep ?? defaultDevicesPerStep)) continue;
      yield step;
      step = [];
      devices = 0;
    }
    if (step.length > 0) yield step;
  }

  /** Returns 0 if some runs were replaced and swept meanwhile: the next query no longer returns those. */
  async function copyStep(
    copyId: number,
    places: Places,
    runs: readonly Run[],
    signal: AbortSignal,
  ): Promise<number> {
    try {
      await warehouseCopies.add(copyId, await copyRuns(places, runs, signal));
      return runs.length;
    } catch (error) {
      if (!(error instanceof RunsMissing)) throw error;
      const needed = new Set((await warehouseCopies.missing(mostRuns)).map(({ runId }) => runId));
      if (runs.every(({ runId }) => needed.has(runId))) throw error;
      return 0;
    }
  }

  /** False if the new place lost copies, for example with a server. These runs are copied again. */
  async function verify(copyId: number, places: Places, signal: AbortSignal): Promise<boolean> {
    const copies = await warehouseCopies.copies();
    const areThere = await places.target.haveRuns(
      copies.map(({ copy }) => copy),
      signal,
    );
    const lost = copies.filter((_, i) => !areThere[i]);
    if (lost.length > 0) {
      log.warn({ runs: lost.length }, 'copied runs lost, copying them again');
      await warehouseCopies.forget(lost);
      return false;
    }
    const some = await warehouseCopies.randomSegments(comparedSegments);
    await warehouseCopies.noteComparison(copyId, await compareSegments(places, some, signal));
    return true;
  }
}

/** More than any installation has. */
const mostRuns = 2 ** 31 - 1;

function hasWork({ state }: WarehouseCopy): boolean {
  return state === 'copying' || state === 'aborting' || state === 'forgetting';
}
