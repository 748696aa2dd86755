/** How a process is asked to stop. */
export interface Shutdown {
  /** Aborts at the first signal: stop in order, and release what is held. */
  readonly requested: AbortSignal;
  /** Aborts at a second signal, or if the stop takes too long: kill what still runs. */
  readonly forced: AbortSignal;
}
