import { useEffect, useRef, useState } from 'react';
import { type Connection, followLiveFeed } from './live-feed.ts';
import type { Problem } from './problem.ts';
import { useSignedOut } from './session.tsx';

export interface Live<T> {
  /** The last that arrived; it stays while the connection is lost. */
  readonly data: T | undefined;
  readonly connection: Connection;
  readonly problem: Problem | undefined;
}

/** Follows a stream of the service, until `isLast` says that all has been told; without a path, nothing. */
export function useLive<T>(
  path: string | undefined,
  event: string,
  isLast: (data: T) => boolean = never,
): Live<T> {
  const [data, setData] = useState<T>();
  const [connection, setConnection] = useState<Connection>('connecting');
  const [problem, setProblem] = useState<Problem>();
  const onSignedOut = useSignedOut();
  const latestIsLast = useRef(isLast);

  useEffect(() => {
    latestIsLast.current = isLast;
  }, [isLast]);

  useEffect(() => {
    if (path === undefined) return;
    return followLiveFeed(path, event, {
      onData(received) {
        setData(received as T);
        return !latestIsLast.current(received as T);
      },
      onConnection: setConnection,
      onProblem(met) {
        setProblem(met);
        if (met?.status === 401) onSignedOut();
      },
    });
  }, [path, event, onSignedOut]);

  return { data, connection, problem };
}

function never(): boolean {
  return false;
}
