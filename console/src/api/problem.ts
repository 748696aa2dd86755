/** Why a call did not do what it should, in words for people. */
export interface Problem {
  readonly title: string;
  readonly detail: string;
  /** 0 if nobody answered. */
  readonly status: number;
  /** Of the service's closed set; undefined if the answer was not the service's own. */
  readonly code?: string;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}

/** An answer that was a problem. */
export class ProblemAnswer extends Error {
  override readonly name = 'ProblemAnswer';
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.problem = problem;
  }
}

/** The data of an answer; throws ProblemAnswer if it is a problem, or if nobody answers. */
export async function answerOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call.catch((cause) => {
    throw new ProblemAnswer(nobodyAnswers, { cause });
  });
  if (response.ok) return data as T;
  throw new ProblemAnswer(problemOfResponse(response, error));
}

const nobodyAnswers: Problem = {
  title: 'No answer',
  detail: 'The service does not answer at the moment. Your connection may be down, or the service.',
  status: 0,
};

export function problemOfResponse(response: Response, body: unknown): Problem {
  const said = isObject(body) ? body : {};
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    title: textOr(said.title, 'Something went wrong'),
    detail: textOr(said.detail, `The service answered ${response.status}.`),
    status: response.status,
    ...(typeof said.code === 'string' ? { code: said.code } : {}),
    ...(typeof said.request_id === 'string' ? { requestId: said.request_id } : {}),
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
    ...(Array.isArray(said.errors) ? { errors: said.errors } : {}),
  };
}

/** The problem behind whatever was thrown. What is no answer of the service is a fault of this page. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof ProblemAnswer) return thrown.problem;
  return {
    title: 'Something went wrong',
    detail: thrown instanceof Error ? thrown.message : String(thrown),
    status: 0,
  };
}

/** What the service says is wrong with a field of the body, as the end of a sentence or as one. */
export function fieldProblem(problem: Problem | undefined, field: string): string | undefined {
  return problem?.errors?.find(({ pointer }) => pointer === `/${field}`)?.message;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
