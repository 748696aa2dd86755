import type { WriteCondition } from '../../../records/objects/object-index.ts';
import type { ConditionNotMet, StoredObject } from '../../disk/disk-store.ts';
import type { Headers } from '../body/payload.ts';
import { S3Error } from '../wire/s3-error.ts';
import { unquoted } from './call.ts';

/**
 * Evaluates the `If-…` headers, or those of a copy's source. As in RFC 9110, a date counts only if there
 * is no ETag.
 */
export function checkConditions(
  object: StoredObject,
  headers: Headers,
  prefix: 'if-' | 'x-amz-copy-source-if-',
): 'met' | 'not_modified' {
  const condition = (name: string) => headers.get(prefix + name);
  const match = condition('match');
  const unmodifiedSince = dateOf(condition('unmodified-since'));
  if (match !== undefined) {
    if (!includesEtag(match, object.etag)) throw preconditionFailed('If-Match');
  } else if (unmodifiedSince !== undefined && secondsOf(object) > unmodifiedSince) {
    throw preconditionFailed('If-Unmodified-Since');
  }

  const noneMatch = condition('none-match');
  const modifiedSince = dateOf(condition('modified-since'));
  const isUnchanged =
    noneMatch !== undefined
      ? includesEtag(noneMatch, object.etag)
      : modifiedSince !== undefined && secondsOf(object) <= modifiedSince;
  return isUnchanged ? 'not_modified' : 'met';
}

/**
 * The condition of a write. As in S3, it is `If-None-Match: *` or `If-Match` with one ETag; other forms
 * are refused, because ignoring them could overwrite an object.
 */
export function readWriteCondition(headers: Headers): WriteCondition | undefined {
  const match = headers.get('if-match');
  const noneMatch = headers.get('if-none-match');
  if (noneMatch !== undefined && (noneMatch !== '*' || match !== undefined)) {
    throw unsupportedCondition('If-None-Match');
  }
  if (noneMatch !== undefined) return 'no_object';
  if (match === undefined) return undefined;
  if (match === '*' || match.includes(',')) throw unsupportedCondition('If-Match');
  return { etag: unquoted(match) };
}

/** For operations that S3 offers without conditions, or that are not implemented here with them. */
export function refuseWriteCondition(headers: Headers): void {
  if (headers.has('if-match')) throw unsupportedCondition('If-Match');
  if (headers.has('if-none-match')) throw unsupportedCondition('If-None-Match');
}

/** The condition is checked in the transaction of the write, so S3's 409 for undecided races never occurs. */
export function explainUnmetCondition({ reason }: ConditionNotMet): S3Error {
  switch (reason) {
    case 'no_such_object':
      return new S3Error('NoSuchKey');
    case 'other_etag':
      return preconditionFailed('If-Match');
    case 'object_exists':
      return preconditionFailed('If-None-Match');
  }
}

function unsupportedCondition(header: string): S3Error {
  return new S3Error('NotImplemented', undefined, { Header: header });
}

/** A range applies only to the version that the client already has part of. */
export function rangeStillApplies(object: StoredObject, ifRange: string | undefined): boolean {
  if (ifRange === undefined) return true;
  return unquoted(ifRange) === object.etag || dateOf(ifRange) === secondsOf(object);
}

export function preconditionFailed(condition: string): S3Error {
  return new S3Error('PreconditionFailed', undefined, { Condition: condition });
}

function includesEtag(list: string, etag: string): boolean {
  return list.split(',').some((item) => item.trim() === '*' || unquoted(item.trim()) === etag);
}

/** An invalid date is ignored. */
function dateOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

/** HTTP dates have whole seconds. */
function secondsOf({ modifiedAt }: StoredObject): number {
  return Math.floor(modifiedAt.getTime() / 1000);
}
