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

const audiencesPerQuery = 100;

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

  /** Returns how many were refreshed. If some fail together, each is tried alone. */
  async function refresh(
    audienceIds: readonly number[],
    waitForFold: FoldWait,
    signal: AbortSignal,
  ): Promise<number> {
    try {
      return (await refreshCompositions({ ...deps, waitForFold }, audienceIds, signal)).length;
    } catch (error) {
      signal.throwIfAborted();
      if (audienceIds.length > 1) {
        let refreshed = 0;
        for (const audienceId of audienceIds) {
          refreshed += await refresh([audienceId], waitForFold, signal);
        }
        return refreshed;
      }
      const [audienceId] = audienceIds;
      failedAt.set(audienceId!, performance.now());
      deps.log.warn({ err: error, audience: audienceId }, 'audience refresh failed');
      return 0;
    }
  }

  /** Leaves out audiences that failed recently, so that they do not block others. */
  async function nextOutdated(): Promise<number[]> {
    for (const [audienceId, at] of failedAt) {
      if (at + retryMs < performance.now()) failedAt.delete(audienceId);
    }
    const outdated = await compositions.outdated(audiencesPerQuery + failedAt.size);
    return outdated.filter((audienceId) => !failedAt.has(audienceId));
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
