import type { StorageErrorClass } from '../port.ts';
import { isNetworkFault, statusOf, transientErrors } from './s3-faults.ts';

/** Answers about an object that does not exist or has changed, which are no failures. */
const expectedStatuses = new Set([304, 404, 412, 416]);

/** The class of a failed request, for metrics. Undefined if the store answered as expected. */
export function errorClassOf(error: unknown): StorageErrorClass | undefined {
  const status = statusOf(error);
  if (status === undefined) return isNetworkFault(error) ? 'network' : undefined;
  const { name } = error as Error;
  if (name === 'NoSuchBucket') return 'request';
  if (status === 429 || name === 'SlowDown' || name.startsWith('Throttling')) return 'throttled';
  if (status >= 500 || transientErrors.has(name)) return 'server';
  if (status === 401 || status === 403) return 'denied';
  return expectedStatuses.has(status) ? undefined : 'request';
}
