import type { Problem } from '../../api/problem.ts';

/** Whether all that a problem finds fault with lies in these fields of the body. */
export function isOnlyAbout(problem: Problem | undefined, fields: readonly string[]): boolean {
  const errors = problem?.errors ?? [];
  return (
    errors.length > 0 &&
    errors.every(({ pointer }) => fields.includes(pointer.split('/', 2)[1] ?? ''))
  );
}
