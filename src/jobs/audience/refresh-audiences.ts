import { setTimeout as sleep } from 'node:timers/promises';
import type { SupplierPair } from '../../records/audiences/baselines.ts';
import type { MaintenanceTask } from '../worker/maintenance.ts';
import { type CompositionDependencies, refreshCompositions } from './composition.ts';
import { createFoldWait, type FoldDependencies, type FoldWait } from './fold-wait.ts';
import { countSupplier } from './supplier-baselines.ts';

const everyMs = 1_000;

export interface RefreshPauses {
  /** How long the universe must stay unchanged to count as settled. */
  readonly quietMs: number;
  /** How long to wait for that at most. */
  readonly patienceMs: number;
  /** How long to wait before a failed audience is tried again. */
  readonly retryMs: number;
}

type RefreshDependencies = Omit<CompositionDependencies, 'waitForFold'> & FoldDependencies;

const defaultPauses: RefreshPauses = { quietMs: 1_000, patienceMs: 10_000, retryMs: 60_000 };

const audiencesPerPass = 100;
/** Counted one by one, before the next look at outdated audiences. */
const suppliersPerPass = 10;

/**
 * Refreshes the matched counts and compositions of outdated audiences once the universe has settled,
 * and counts suppliers that reports are compared with. Only one process at a time does this.
 */
export function refreshAudiences(
  deps: RefreshDependencies,
  { quietMs, patienceMs, retryMs }: RefreshPauses = defaultPauses,
): MaintenanceTask {
  const { compositions, baselines, universe } = deps.records;
  const failedAt = new Map<number, number>();
  const uncountedAt = new Map<string, number>();

  /** The version at which the universe settled, or the current one after `patienceMs`. */
  async function settledVersion(signal: AbortSignal): Promise<number> {
    const until = performance.now() + patienceMs;
    for (let last = -1; ; ) {
      const { version, backlog } = await universe.state();
      const isSettled = version === last && backlog === 0;
      if (isSettled || performance.now() >= until) return version;
      last = version;
      await sleep(quietMs, undefined, { signal });
    }
  }

  /** Returns how many were refreshed. If some fail together, the halves are tried apart. */
  async function refresh(
    audienceIds: readonly number[],
    waitForFold: FoldWait,
    signal: AbortSignal,
  ): Promise<number> {
    try {
      const stored = await refreshCompositions({ ...deps, waitForFold }, audienceIds, signal);
      for (const audienceId of stored) failedAt.delete(audienceId);
      return stored.length;
    } catch (error) {
      signal.throwIfAborted();
      if (audienceIds.length > 1) {
        const middle = audienceIds.length >>> 1;
        const refreshed = await refresh(audienceIds.slice(0, middle), waitForFold, signal);
        return refreshed + (await refresh(audienceIds.slice(middle), waitForFold, signal));
      }
      const [audienceId] = audienceIds;
      failedAt.set(audienceId!, performance.now());
      deps.log.warn({ err: error, audience: audienceId }, 'audience refresh failed');
      return 0;
    }
  }

  /** The next to refresh together. One that failed is tried alone, so that it does not delay others. */
  async function nextOutdated(): Promise<number[]> {
    const outdated = await compositions.outdated(audiencesPerPass + failedAt.size);
    for (const audienceId of failedAt.keys()) {
      if (!outdated.includes(audienceId)) failedAt.delete(audienceId);
    }
    const others = outdated.filter((audienceId) => !failedAt.has(audienceId));
    if (others.length > 0) return others.slice(0, audiencesPerPass);
    const isDue = ([, at]: readonly [number, number]) => at + retryMs < performance.now();
    return [...failedAt]
      .filter(isDue)
      .slice(0, 1)
      .map(([audienceId]) => audienceId);
  }

  /** Refreshes until no audience is outdated or the universe has changed. Returns how many it refreshed. */
  async function refreshAll(signal: AbortSignal): Promise<number> {
    const version = await settledVersion(signal);
    const waitForFold = createFoldWait(deps);
    let audiences = 0;
    for (let before = -1; before < audiences; ) {
      before = audiences;
      const outdated = await nextOutdated();
      const begun = performance.now();
      if (outdated.length > 0) audiences += await refresh(outdated, waitForFold, signal);
      const reports = audiences - before;
      if (reports > 0) await compositions.savePass(reports, (performance.now() - begun) / 1_000);
      if ((await universe.state()).version !== version) break;
    }
    return audiences;
  }

  /** The next suppliers to count, without those whose count failed lately. */
  async function nextWanted(): Promise<SupplierPair[]> {
    const wanted = await baselines.outdated(suppliersPerPass + uncountedAt.size);
    const isDue = (pair: SupplierPair) =>
      (uncountedAt.get(keyOf(pair)) ?? -Infinity) + retryMs < performance.now();
    return wanted.filter(isDue).slice(0, suppliersPerPass);
  }

  /** Returns whether it was counted. */
  async function count(pair: SupplierPair, signal: AbortSignal): Promise<boolean> {
    try {
      await countSupplier(deps, pair, signal);
      uncountedAt.delete(keyOf(pair));
      return true;
    } catch (error) {
      signal.throwIfAborted();
      uncountedAt.set(keyOf(pair), performance.now());
      const { audienceId: audience, partnerId: supplier } = pair;
      deps.log.warn({ err: error, audience, supplier }, 'count of a supplier failed');
      return false;
    }
  }

  return {
    name: 'refresh audiences',
    everyMs,
    async run(shutdownSignal) {
      let [audiences, suppliers] = [0, 0];
      const isAnyOutdated = (await nextOutdated()).length > 0;
      const isAnyWanted = (await nextWanted()).length > 0;
      if (!isAnyOutdated && !isAnyWanted) return { audiences, suppliers };
      await compositions.refreshExclusively(async (signal) => {
        if (isAnyOutdated) audiences = await refreshAll(signal);
        for (const pair of await nextWanted()) if (await count(pair, signal)) suppliers++;
      }, shutdownSignal);
      return { audiences, suppliers };
    },
  };
}

function keyOf({ audienceId, partnerId }: SupplierPair): string {
  return `${audienceId} ${partnerId}`;
}
