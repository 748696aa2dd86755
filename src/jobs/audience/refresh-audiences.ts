import { setTimeout as sleep } from 'node:timers/promises';
import type { MaintenanceTask } from '../worker/maintenance.ts';
import { type CompositionDependencies, refreshComposition } from './composition.ts';

const everyMs = 1_000;

export interface RefreshPauses {
  /** The universe is settled when it has not changed for so long. */
  readonly quietMs: number;
  /** After so long it is not waited for any more. */
  readonly patienceMs: number;
  /** An audience that could not be refreshed is left alone for so long. */
  readonly retryMs: number;
}

const usualPauses: RefreshPauses = { quietMs: 1_000, patienceMs: 10_000, retryMs: 60_000 };

/** So many are looked up at a time; the next are those that are outdated then. */
const audiencesAtOnce = 100;

/**
 * Brings the matched devices and the compositions of audiences up to what the universe and the
 * attributes are, once those have settled. One process at a time does it.
 */
export function refreshAudiences(
  deps: CompositionDependencies,
  { quietMs, patienceMs, retryMs }: RefreshPauses = usualPauses,
): MaintenanceTask {
  const { compositions, universe } = deps.records;
  const failedAt = new Map<number, number>();

  /** The version at which it settled, or at which patience ended. */
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

  async function refresh(audienceId: number, signal: AbortSignal): Promise<boolean> {
    try {
      await refreshComposition(deps, audienceId, signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      failedAt.set(audienceId, performance.now());
      deps.log.warn({ err: error, audience: audienceId }, 'audience refresh failed');
      return false;
    }
  }

  /** Not those that failed a short while ago, which stand in nobody's way. */
  async function nextOnes(): Promise<number[]> {
    for (const [audienceId, at] of failedAt) {
      if (at + retryMs < performance.now()) failedAt.delete(audienceId);
    }
    const outdated = await compositions.outdated(audiencesAtOnce + failedAt.size);
    return outdated.filter((audienceId) => !failedAt.has(audienceId));
  }

  return {
    name: 'refresh audiences',
    everyMs,
    async run(stopped) {
      let audiences = 0;
      if ((await nextOnes()).length === 0) return { audiences };
      await compositions.refreshExclusively(async (signal) => {
        const version = await settledVersion(signal);
        for (let before = -1; before < audiences; ) {
          before = audiences;
          for (const audienceId of await nextOnes()) {
            if (await refresh(audienceId, signal)) audiences++;
          }
          if ((await universe.state()).version !== version) return;
        }
      }, stopped);
      return { audiences };
    },
  };
}
