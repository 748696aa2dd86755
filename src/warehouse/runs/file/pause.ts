import { setImmediate } from 'node:timers/promises';

/** Called between steps of long work: lets the event loop turn, and throws once work is to stop. */
export type Pause = () => Promise<void>;

export function createPause(signal: AbortSignal): Pause {
  return async () => {
    await setImmediate();
    signal.throwIfAborted();
  };
}
