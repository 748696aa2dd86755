import { type DependencyList, useCallback, useEffect, useState } from 'react';
import { type Problem, problemOf } from './problem.ts';

export interface Answer<T> {
  /** The last that arrived; it stays in view while it is loaded anew, so that nothing jumps. */
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  readonly isWaiting: boolean;
  reload(): void;
}

/** Loads when the page appears and whenever one of the deps changes. */
export function useAnswer<T>(load: () => Promise<T>, deps: DependencyList): Answer<T> {
  const [data, setData] = useState<T>();
  const [problem, setProblem] = useState<Problem>();
  const [isWaiting, setWaiting] = useState(true);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says what `load` depends on.
  useEffect(() => {
    let isCurrent = true;
    setWaiting(true);
    const settle = (loaded: T | undefined, met: Problem | undefined) => {
      // An answer that was overtaken by a later question says nothing any more.
      if (!isCurrent) return;
      if (met === undefined) setData(loaded);
      setProblem(met);
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
