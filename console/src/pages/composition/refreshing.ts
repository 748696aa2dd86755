import { isOpen } from '../imports/status.ts';

/** Determines how soon a report is reloaded. */
export interface Freshness {
  /** As in the API: 0 pending, 1 running, 2 finished, 3 error. */
  readonly status: number;
  /** Undefined while there is no report. */
  readonly isStale: boolean | undefined;
  /** Whether the devices to compare with are being counted. */
  readonly isCounting: boolean;
}

const intervalMs = { changing: 2_000, settled: 30_000 };

/** Whether a new report is expected: after a load or a count, or because the current one is stale. */
function isChanging({ status, isStale, isCounting }: Freshness): boolean {
  return isOpen({ status }) || isStale === true || isCounting;
}

/** A settled audience is polled slowly, because a partner may append to it at any time. */
export function refreshAfter(freshness: Freshness): number {
  return isChanging(freshness) ? intervalMs.changing : intervalMs.settled;
}
