import type { operations } from './openapi.ts';

type Problem =
  operations['queueImport']['responses']['default']['content']['application/problem+json'];

/** Every kind of problem that the service reports. */
export type ProblemCode = Problem['code'];

/** The service refused a request. `code` says why, and the message what to do. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** `unknown` if the response did not come from the service, but for example from a proxy. */
  readonly code: ProblemCode | 'unknown';
  /** Tell it to the operator if you need help. */
  readonly requestId: string | null;
  /** The fields that are wrong, for `invalid_input`. */
  readonly issues: readonly { readonly pointer: string; readonly message: string }[];

  constructor(response: Response, problem: unknown) {
    const known = isProblem(problem) ? problem : undefined;
    super(known?.detail ?? `the service responded with status ${response.status}`);
    this.status = response.status;
    this.code = known?.code ?? 'unknown';
    this.requestId = known?.request_id ?? response.headers.get('x-request-id');
    this.issues = known?.errors ?? [];
  }
}

/** No response: the service cannot be reached, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The job ended with an error, so nothing or not everything was loaded. `record` has the details. */
export class LoadFailed<Record> extends Error {
  override readonly name = 'LoadFailed';
  readonly record: Record;

  constructor(message: string, record: Record) {
    super(message);
    this.record = record;
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of a response. Throws ProblemError if the request failed. */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ProblemError(response, error);
  return data as T;
}

/** Every record of a list, read page by page. */
export async function* eachOf<T>(
  read: (page: { readonly after?: number }) => Promise<Answer<T[]>>,
): AsyncGenerator<T> {
  let after: number | undefined;
  do {
    const call = read(after === undefined ? {} : { after });
    yield* await answerOf(call);
    const link = (await call).response.headers.get('link') ?? '';
    const next = /<[^>]*[?&]after=(\d+)[^>]*>; rel="next"/.exec(link)?.[1];
    after = next === undefined ? undefined : Number(next);
  } while (after !== undefined);
}
