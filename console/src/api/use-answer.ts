import { type DependencyList, useCallback, useEffect, useState } from 'react';
import { type Problem, problemOf } from './problem.ts';

export interface Answer<T> {
  /** The latest data. It stays in view during a reload, so nothing jumps. */
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  readonly isWaiting: boolean;
  reload(): void;
}

/** Loads on mount and whenever one of the deps changes. */
export function useAnswer<T>(load: () => Promise<T>, deps: DependencyList): Answer<T> {
  const [data, setData] = useState<T>();
  const [problem, setProblem] = useState<Problem>();
  const [isWaiting, setWaiting] = useState(true);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller passes the deps of `load`.
  useEffect(() => {
    let isCurrent = true;
    setWaiting(true);
    const settle = (loaded: T | undefined, failure: Problem | undefined) => {
      // A later request has replaced this one.
      if (!isCurrent) return;
      if (failure === undefined) setData(loaded);
      setProblem(failure);
      setWaiting(false);
    };
    load().then(
      (loaded) => settle(loaded, undefined),
      (thrown) => settle(undefined, problemOf(thrown)),
    );
    return () => {
      isCurrent = false;
    };
  }, [...deps, round]);

  return { data, problem, isWaiting, reload };
}
