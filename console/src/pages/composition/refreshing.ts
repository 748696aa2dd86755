import { isOpen } from '../imports/status.ts';

/** What decides how soon a report is looked for again. */
export interface Freshness {
  /** As the API tells it: 0 pending, 1 running, 2 finished, 3 error. */
  readonly status: number;
  /** Undefined while there is no report. */
  readonly isStale: boolean | undefined;
}

const beat = { changing: 2_000, settled: 30_000 };

/** Whether a new report is on its way: a load ends with one, and a stale one is computed anew. */
function isChanging({ status, isStale }: Freshness): boolean {
  return isOpen({ status }) || isStale === true;
}

/** A settled audience is looked at now and then, for a partner may append to it at any time. */
export function refreshAfter(freshness: Freshness): number {
  return isChanging(freshness) ? beat.changing : beat.settled;
}
