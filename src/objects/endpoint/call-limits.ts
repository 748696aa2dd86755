import { S3Error } from './wire/s3-error.ts';

export interface CallLimits {
  readonly requestsPerSecond: number;
  readonly requestsInProgress: number;
}

interface Caller {
  inProgress: number;
  second: number;
  requests: number;
}

/**
 * Counts the requests of each caller. A second instead of a minute, because S3 clients give up after a few
 * retries: a caller that waits a second is admitted again.
 */
export function createCallLimits(limits: CallLimits, now: () => number = () => performance.now()) {
  const callers = new Map<string, Caller>();
  return {
    /** Admits a request until the returned function is called. Throws SlowDown beyond a limit. */
    admit(name: string): () => void {
      const second = Math.floor(now() / 1000);
      const caller = callers.get(name) ?? { inProgress: 0, second, requests: 0 };
      callers.set(name, caller);
      if (caller.second !== second) {
        caller.second = second;
        caller.requests = 0;
      }
      if (
        caller.requests >= limits.requestsPerSecond ||
        caller.inProgress >= limits.requestsInProgress
      ) {
        throw new S3Error('SlowDown');
      }
      caller.requests++;
      caller.inProgress++;
      return () => {
        caller.inProgress--;
      };
    },
  };
}
