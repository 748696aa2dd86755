import { useEffect, useRef, useState } from 'react';
import { type Connection, followLiveFeed } from './live-feed.ts';
import type { Problem } from './problem.ts';
import { useSignedOut } from './session.tsx';

export interface Live<T> {
  /** The latest event. It stays while the connection is lost. */
  readonly data: T | undefined;
  readonly connection: Connection;
  readonly problem: Problem | undefined;
}

/** Follows an event stream until `isLast` accepts an event. Without a path it does nothing. */
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
      onProblem(reported) {
        setProblem(reported);
        if (reported?.status === 401) onSignedOut();
      },
    });
  }, [path, event, onSignedOut]);

  return { data, connection, problem };
}

function never(): boolean {
  return false;
}
