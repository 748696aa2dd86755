import { setTimeout as sleep } from 'node:timers/promises';
import type { MaintenanceTask } from '../worker/maintenance.ts';
import { type CompositionDependencies, refreshCompositions } from './composition.ts';
import { createFoldWait, type FoldDependencies, type FoldWait } from './fold-wait.ts';

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

/**
 * Refreshes the matched counts and compositions of outdated audiences once the universe has settled.
 * Only one process at a time does this.
 */
export function refreshAudiences(
  deps: RefreshDependencies,
  { quietMs, patienceMs, retryMs }: RefreshPauses = defaultPauses,
): MaintenanceTask {
  const { compositions, universe } = deps.records;
  const failedAt = new Map<number, number>();

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

  return {
    name: 'refresh audiences',
    everyMs,
    async run(shutdownSignal) {
      let audiences = 0;
      if ((await nextOutdated()).length === 0) return { audiences };
      await compositions.refreshExclusively(async (signal) => {
        const version = await settledVersion(signal);
        const waitForFold = createFoldWait(deps);
        for (let before = -1; before < audiences; ) {
          before = audiences;
          const outdated = await nextOutdated();
          const begun = performance.now();
          if (outdated.length > 0) audiences += await refresh(outdated, waitForFold, signal);
          const reports = audiences - before;
          if (reports > 0)
            await compositions.savePass(reports, (performance.now() - begun) / 1_000);
          if ((await universe.state()).version !== version) return;
        }
      }, shutdownSignal);
      return { audiences };
    },
  };
}
