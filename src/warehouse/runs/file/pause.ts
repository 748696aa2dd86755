import { setImmediate } from 'node:timers/promises';

/** Called between steps of long work. Yields to the event loop, and throws if the work was aborted. */
export type Pause = () => Promise<void>;

export function createPause(signal: AbortSignal): Pause {
  return async () => {
    await setImmediate();
    signal.throwIfAborted();
  };
}
