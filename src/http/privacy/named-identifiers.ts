import { createHash } from 'node:crypto';
import { type InputIssue, TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { parseRequestedDevice } from '../../domain/privacy/privacy-request.ts';
import { identifiersIn } from '../../domain/privacy/standard-id.ts';
import type { RequestedIdentifier } from '../../records/privacy/privacy-requests.ts';

/** Throws invalid_input if the reference, which is kept for good, names a device of the request. */
export function refuseNamedDevices(
  reference: string,
  identifiers: readonly RequestedIdentifier[],
): void {
  const named = new Set(identifiersIn(reference));
  if (!identifiers.some(({ device }) => device !== null && named.has(device))) return;
  const message = 'must not contain an identifier, because it is kept for good';
  throw new TributaryError('invalid_input', `reference ${message}.`, {
    issues: [{ pointer: '/reference', message }],
  });
}

/** The distinct identifiers of a request, in order. Throws invalid_input, without quoting any. */
export function namedIdentifiers(texts: readonly string[]): RequestedIdentifier[] {
  const byDigest = new Map<string, RequestedIdentifier>();
  const issues: InputIssue[] = [];
  for (const [i, text] of texts.entries()) {
    const parsed = parseRequestedDevice(text);
    if (typeof parsed === 'string') {
      issues.push({ pointer: `/identifiers/${i}`, message: parsed });
      continue;
    }
    const device = 'device' in parsed ? parsed.device : null;
    const digest =
      'digest' in parsed
        ? Buffer.from(parsed.digest)
        : createHash('sha256').update(parsed.device).digest();
    const key = digest.toString('hex');
    // The device itself says more than its digest.
    const known = byDigest.get(key);
    if (!known?.device) byDigest.set(key, { device, digest });
  }
  if (issues.length > 0) {
    const invalid =
      issues.length === 1
        ? 'One identifier is invalid'
        : `${issues.length.toLocaleString('en-US')} identifiers are invalid`;
    const message = `${invalid}, so nothing was done. Correct or remove what is invalid, then send the request again.`;
    const shown = issues.slice(0, limits.issuesShown.most);
    throw new TributaryError('invalid_input', message, { issues: shown });
  }
  return [...byDigest.values()];
}
