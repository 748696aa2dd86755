import { useState } from 'react';
import { type Problem, problemOf } from './problem.ts';

export interface Action<Arguments extends readonly unknown[]> {
  /** True if it succeeded; otherwise `problem` says why not. */
  run(...args: Arguments): Promise<boolean>;
  readonly isRunning: boolean;
  readonly problem: Problem | undefined;
  forget(): void;
}

/** The action of a button: runs once at a time, and keeps its problem to show. */
export function useAction<Arguments extends readonly unknown[]>(
  act: (...args: Arguments) => Promise<unknown> | undefined,
): Action<Arguments> {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  async function run(...args: Arguments): Promise<boolean> {
    if (isRunning) return false;
    setRunning(true);
    setProblem(undefined);
    try {
      await act(...args);
      return true;
    } catch (thrown) {
      setProblem(problemOf(thrown));
      return false;
    } finally {
      setRunning(false);
    }
  }

  return { run, isRunning, problem, forget: () => setProblem(undefined) };
}
