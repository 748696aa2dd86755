import type { Problem } from '../../api/problem.ts';

/** Whether every error of a problem points into one of these fields of the body. */
export function isOnlyAbout(problem: Problem | undefined, fields: readonly string[]): boolean {
  const errors = problem?.errors ?? [];
  return (
    errors.length > 0 &&
    errors.every(({ pointer }) => fields.includes(pointer.split('/', 2)[1] ?? ''))
  );
}
