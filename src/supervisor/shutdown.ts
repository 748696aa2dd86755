/** How a process is asked to stop. */
export interface Shutdown {
  /** Aborts at the first signal: stop in order, and release what is held. */
  readonly requested: AbortSignal;
  /** Aborts at a second signal, or if the stop takes too long: kill what still runs. */
  readonly forced: AbortSignal;
}

/** The outcome of the work, unless the signal aborts first: then its reason, while the work continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
