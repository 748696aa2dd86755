/**
 * Runs work once for several callers. A caller gets the result of a run that began after its call;
 * runs never overlap. A run is aborted when all of its callers have aborted.
 */
export function createSharedWork<T>(
  work: (signal: AbortSignal) => Promise<T>,
): (signal: AbortSignal) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Turn<T> | undefined;

  function begin(): Turn<T> {
    const abort = new AbortController();
    const outcome = last.then(() => {
      if (next === turn) next = undefined;
      abort.signal.throwIfAborted();
      return work(abort.signal);
    });
    const turn = { abort, outcome, callers: 0 };
    last = outcome.catch(() => {});
    return turn;
  }

  return async (signal) => {
    signal.throwIfAborted();
    next ??= begin();
    const turn = next;
    turn.callers++;
    const aborted = Promise.withResolvers<never>();
    function leave(): void {
      aborted.reject(signal.reason);
      turn.callers--;
      if (turn.callers > 0) return;
      turn.abort.abort(signal.reason);
      if (next === turn) next = undefined;
    }
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([turn.outcome, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };
}

interface Turn<T> {
  readonly abort: AbortController;
  readonly outcome: Promise<T>;
  callers: number;
}
