import { TributaryError } from './errors.ts';

/** What an operator may limit for each partner, besides the bytes in the object store. */
export interface Quotas {
  /** Requests per month; null for any number. */
  readonly requests: number | null;
  /** Rows loaded per month. */
  readonly rows: number | null;
  /** Devices in all attributes and audiences together. */
  readonly devices: number | null;
}

const what = {
  requests: 'requests per month',
  rows: 'rows per month',
  devices: 'devices in all attributes and audiences',
} as const satisfies Record<keyof Quotas, string>;

/** The partner has sent as many requests as it may in this month. */
export function tooManyRequests(quota: number): TributaryError {
  return new TributaryError('rate_limited', `${quotaUsedUp('requests', quota)} ${advice(true)}`);
}

/** The partner may not queue loads, because none could commit. */
export function loadsRefused(which: 'rows' | 'devices', quota: number): TributaryError {
  return new TributaryError(
    'limit_reached',
    `${quotaUsedUp(which, quota)} ${advice(which === 'rows')}`,
  );
}

/** A load does not fit. Thrown in the transaction that would commit it, to roll it back. */
export class LoadBeyondQuota extends Error {
  override readonly name = 'LoadBeyondQuota';

  /** `total` is what the partner would have with this load. */
  constructor(which: 'rows' | 'devices', quota: number, total: number) {
    super(
      `The quota is ${quota.toLocaleString('en-US')} ${what[which]}. With this load there would be ${total.toLocaleString('en-US')}. ${advice(which === 'rows')}`,
    );
  }
}

function quotaUsedUp(which: keyof Quotas, quota: number): string {
  return `The quota of ${quota.toLocaleString('en-US')} ${what[which]} is used up.`;
}

function advice(isMonthly: boolean): string {
  const wait = `Wait until the next month begins, on ${nextMonth(new Date())} (UTC)`;
  return `${isMonthly ? wait : 'Delete data'}, or ask the operator for a larger quota.`;
}

function nextMonth(now: Date): string {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  return first.toISOString().slice(0, 10);
}
