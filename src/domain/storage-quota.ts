import { TributaryError } from './errors.ts';

/** `used` are the bytes before this upload. */
export function quotaExceeded(quota: number, used: number, bytes: number): TributaryError {
  const [allowed, kept, more] = [quota, used, bytes].map((n) => n.toLocaleString('en-US'));
  return new TributaryError(
    'quota_exceeded',
    `The storage quota is ${allowed} bytes. ${kept} bytes are stored or being uploaded, and this upload has ${more}. Delete objects or abort uploads, or ask the operator for a larger quota.`,
  );
}
