/** Why a request fails. http/server/problems.ts maps every code to a status and a description. */
export type ErrorCode =
  | 'invalid_input'
  | 'malformed_body'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'not_computed_yet'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'foreign_key_taken'
  | 'limit_reached'
  | 'email_taken'
  | 'idempotency_key_in_use'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'body_too_large'
  | 'headers_too_large'
  | 'unsupported_media_type'
  | 'storage_full'
  | 'quota_exceeded'
  | 'unavailable'
  | 'internal';

/** One fault in a request. `pointer` is a JSON pointer into the body, or the name of a parameter. */
export interface InputIssue {
  readonly pointer: string;
  readonly message: string;
}

export class TributaryError extends Error {
  override readonly name = 'TributaryError';
  readonly code: ErrorCode;
  readonly issues: readonly InputIssue[];

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; issues?: readonly InputIssue[] } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.issues = options.issues ?? [];
  }
}

/**
 * The database cancelled a statement that took too long. A request may be sent again. A job fails,
 * because the database is available and the statement would take as long again.
 */
export class StatementCancelled extends TributaryError {
  constructor(cause: unknown) {
    super('unavailable', `The database cancelled a statement: ${messageOf(cause)}`, { cause });
  }
}

export function invalidInput(pointer: string, message: string): TributaryError {
  return new TributaryError('invalid_input', message, { issues: [{ pointer, message }] });
}

/**
 * Another process replaced a run that was to be dropped, or the sweep deleted a file that was to be
 * added. Nothing was changed. The caller starts over from the current manifest.
 */
export class ManifestConflict extends Error {
  override readonly name = 'ManifestConflict';
}

/** The message of any thrown value, for a log line or a terminal. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of errors of Node and PostgreSQL. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A disk or a store has no space left. */
export function isStorageFull(error: unknown): boolean {
  return (
    (error instanceof TributaryError && error.code === 'storage_full') || codeOf(error) === 'ENOSPC'
  );
}
