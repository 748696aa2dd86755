import { AsyncLocalStorage } from 'node:async_hooks';

const callers = new AsyncLocalStorage<string>();

/** Does the work of a request of a tenant, which gets its share of the connections. */
export function runForCaller<T>(caller: string, work: () => T): T {
  return callers.run(caller, work);
}

/** The tenant for whom the current work is done. Undefined: the service itself. */
export function currentCaller(): string | undefined {
  return callers.getStore();
}

interface Share {
  taken: number;
  readonly waiting: (() => void)[];
}

/**
 * A caller waits no longer than this. So work that needs a second place while it has one does not wait for
 * itself, and if the database is frozen, all fail in time.
 */
const defaultWaitMs = 1_000;

/** Limits the places that each caller takes at once. Further work of the caller waits in its order. */
export function createCallerShares(most: number, longestWaitMs: number = defaultWaitMs) {
  const shares = new Map<string, Share>();

  function release(caller: string, share: Share): void {
    // A place beyond the share ends. Otherwise each long wait would enlarge the share.
    const next = share.taken > most ? undefined : share.waiting.shift();
    if (next) next();
    else share.taken -= 1;
    if (share.taken === 0) shares.delete(caller);
  }

  /** Waits until a place is handed over, or adds one when the wait is over. */
  function nextPlace(share: Share): Promise<void> {
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        share.waiting.splice(share.waiting.indexOf(enter), 1);
        share.taken += 1;
        resolve();
      }, longestWaitMs);
      share.waiting.push(enter);
    });
  }

  return {
    /** Takes a place until the returned function is called. */
    async take(caller: string): Promise<() => void> {
      const share = shares.get(caller) ?? { taken: 0, waiting: [] };
      shares.set(caller, share);
      if (share.taken < most) share.taken += 1;
      else await nextPlace(share);
      return () => release(caller, share);
    },
  };
}
