/** Why a call failed, in words for people. */
export interface Problem {
  readonly title: string;
  readonly detail: string;
  /** 0 if there was no response. */
  readonly status: number;
  /** One of the service's error codes; undefined if the response came from elsewhere. */
  readonly code?: string;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}

/** A call that failed. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.problem = problem;
  }
}

/** The data of a response. Throws ProblemError for an error response, or if there is none. */
export async function answerOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call.catch((cause) => {
    throw new ProblemError(unreachable, { cause });
  });
  if (response.ok) return data as T;
  throw new ProblemError(problemOfResponse(response, error));
}

const unreachable: Problem = {
  title: 'Service unreachable',
  detail: 'Check your connection, then try again.',
  status: 0,
};

export function problemOfResponse(response: Response, body: unknown): Problem {
  const fields = isObject(body) ? body : {};
  const requestId = textOr(fields.request_id, response.headers.get('x-request-id') ?? '');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    title: textOr(fields.title, 'Something went wrong'),
    detail: textOr(fields.detail, `The service returned status ${response.status}.`),
    status: response.status,
    ...(typeof fields.code === 'string' ? { code: fields.code } : {}),
    ...(requestId === '' ? {} : { requestId }),
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
    ...(Array.isArray(fields.errors) ? { errors: fields.errors } : {}),
  };
}

/** The problem behind a thrown value. Anything but a ProblemError is a bug in this page. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof ProblemError) return thrown.problem;
  return {
    title: 'Something went wrong',
    detail: thrown instanceof Error ? thrown.message : String(thrown),
    status: 0,
  };
}

/** The service's error message for a field of the body. */
export function fieldProblem(problem: Problem | undefined, field: string): string | undefined {
  return problem?.errors?.find(({ pointer }) => pointer === `/${field}`)?.message;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
