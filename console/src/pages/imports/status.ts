import type { LoadState } from '../../../../src/domain/job.ts';

interface HasStatus {
  readonly status: number;
}

const states: readonly LoadState[] = ['pending', 'running', 'done', 'failed'];

/** The state behind the status number of an import log, audience or file. */
export function stateOf({ status }: HasStatus): LoadState {
  return states[status] ?? 'failed';
}

/** Whether it is still waiting or running. */
export function isOpen({ status }: HasStatus): boolean {
  return status < 2;
}
