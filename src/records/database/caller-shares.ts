import { AsyncLocalStorage } from 'node:async_hooks';

/** A request of a tenant. */
interface Caller {
  readonly tenant: string;
  /** How many places it has at the moment. */
  places: number;
}

const callers = new AsyncLocalStorage<Caller>();

/** Does the work of a request of a tenant, which gets its share of the connections. */
export function runForCaller<T>(tenant: string, work: () => T): T {
  return callers.run({ tenant, places: 0 }, work);
}

/** The request for which the current work is done. Undefined: the service itself. */
export function currentCaller(): Caller | undefined {
  return callers.getStore();
}

interface Share {
  taken: number;
  readonly waiting: (() => void)[];
}

/**
 * A request waits no longer than this. So work that needs a second place while it has one does not wait for
 * itself, and if the database is frozen, all fail in time.
 */
const defaultWaitMs = 1_000;
/** A tenant counts as active this long after its last request. */
const activeMs = 10_000;
const longestPauseMs = 100;

/**
 * Limits the places that the requests of each tenant take at once. Further work of the tenant waits in its
 * order. While other tenants are active, a tenant has one place, and between two works that wait for it,
 * the place rests as long as the work took. So a tenant with many requests takes half of a core from the others.
 * A tenant with one request at a time, or on its own, does not notice.
 */
export function createCallerShares(most: number, longestWaitMs: number = defaultWaitMs) {
  const shares = new Map<string, Share>();
  let latest = { tenant: '', at: Number.NEGATIVE_INFINITY };
  /** The latest use by another tenant than that of `latest`. */
  let beforeLatest = latest;

  function recordUse(tenant: string): void {
    if (tenant !== latest.tenant) beforeLatest = latest;
    latest = { tenant, at: performance.now() };
  }

  function hasOthers(tenant: string): boolean {
    const other = tenant === latest.tenant ? beforeLatest : latest;
    return performance.now() - other.at < activeMs;
  }

  /** Lets in the work that waits, as far as the share allows. */
  function admit(tenant: string, share: Share): void {
    const places = hasOthers(tenant) ? 1 : most;
    while (share.taken < places && share.waiting.length > 0) {
      share.taken += 1;
      share.waiting.shift()!();
    }
    if (share.taken === 0) shares.delete(tenant);
  }

  function release({ tenant }: Caller, share: Share, tookMs: number): void {
    const end = () => {
      share.taken -= 1;
      admit(tenant, share);
    };
    if (share.waiting.length > 0 && hasOthers(tenant)) {
      setTimeout(end, Math.min(tookMs, longestPauseMs));
    } else end();
  }

  /** Waits until a place is free, or adds one when the wait is over. */
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
    async take(caller: Caller): Promise<() => void> {
      const { tenant } = caller;
      recordUse(tenant);
      const share = shares.get(tenant) ?? { taken: 0, waiting: [] };
      shares.set(tenant, share);
      // Work that already has a place would wait for itself.
      const places = caller.places === 0 && hasOthers(tenant) ? 1 : most;
      if (share.taken < places) share.taken += 1;
      else await nextPlace(share);
      caller.places += 1;
      const since = performance.now();
      return () => {
        caller.places -= 1;
        release(caller, share, performance.now() - since);
      };
    },
  };
}
