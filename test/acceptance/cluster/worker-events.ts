import type { RoleApart } from '../role-apart.ts';

/** A line of a worker's log about a job. */
export interface WorkerEvent {
  readonly msg: string;
  readonly time: string;
  readonly job?: number;
  readonly partner?: number;
  readonly kind?: string;
  readonly attempt?: number;
  readonly losses?: number;
}

/** The events logged so far. */
export function eventsOf(worker: RoleApart): WorkerEvent[] {
  const lines = worker.logged().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as WorkerEvent);
}
