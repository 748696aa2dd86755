import type { paths } from '../../client/openapi.ts';
import { count, printable } from './print.ts';

export type Problem = NonNullable<
  paths['/v1/marketplace/import/{import_log_id}']['get']['responses'][200]['content']['application/json']['errors']
>[number];

/** Import logs, audiences and their files. */
interface HasStatus {
  readonly status: number;
}

const statuses = ['pending', 'running', 'done', 'failed'];

export function statusText({ status }: HasStatus): string | undefined {
  return statuses[status];
}

export function hasEnded({ status }: HasStatus): boolean {
  return status >= 2;
}

/** The exit code is 1 if it failed. */
export function setExitCode({ status }: HasStatus): void {
  if (status === 3) process.exitCode = 1;
}

/** The problem, how often it occurred, and where it occurred first. */
export function problemText(problem: Problem): string {
  const { code, message, file, line, count: times } = problem;
  const where = [file, line === null ? null : `line ${count(line)}`].filter(
    (part) => part !== null,
  );
  const often = times > 1 ? ` (${count(times)} times)` : '';
  return [[code + often, ...where].join('  '), message].map(printable).join('\n  ');
}
