import type { LoadState } from '../../../../src/domain/job.ts';

interface HasStatus {
  readonly status: number;
}

const states: readonly LoadState[] = ['pending', 'running', 'done', 'failed'];

/** What the status numbers of import logs, audiences and files stand for. */
export function stateOf({ status }: HasStatus): LoadState {
  return states[status] ?? 'failed';
}

/** Whether something is still to come. */
export function isOpen({ status }: HasStatus): boolean {
  return status < 2;
}
