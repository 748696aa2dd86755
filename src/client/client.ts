import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './openapi.ts';

export type TributaryClient = Client<paths>;

/** A client typed by the OpenAPI document. With a user token, a partner acts for a customer. */
export function createClient(baseUrl: string, token: string, userToken?: string): TributaryClient {
  return createFetchClient<paths>({
    baseUrl,
    fetch: (request) =>
      fetch(request).catch((cause) => {
        throw new ApiError(`cannot reach ${baseUrl}${reasonOf(cause)}: ${checks}`, { cause });
      }),
    headers: {
      authorization: `Bearer ${token}`,
      ...(userToken === undefined ? {} : { 'x-user-token': userToken }),
    },
  });
}

const checks = 'check that the service is running and that TRIBUTARY_URL is right';

/** The system's code, such as ECONNREFUSED, if there is one. */
function reasonOf({ cause }: { readonly cause?: { readonly code?: unknown } }): string {
  return typeof cause?.code === 'string' ? ` (${cause.code})` : '';
}

/** A request failed. The message is the service's own if it gave one. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** All records of a list, read page by page. */
export async function allRecords<T>(
  read: (page: { readonly after?: number }) => Promise<Answer<T[]>>,
): Promise<T[]> {
  const all: T[] = [];
  let after: number | undefined;
  do {
    const answer = read(after === undefined ? {} : { after });
    all.push(...(await answerOf(answer)));
    after = nextPage((await answer).response);
  } while (after !== undefined);
  return all;
}

/** The `after` of the next page, from the Link header. */
function nextPage({ headers }: Response): number | undefined {
  const next = /<[^>]*[?&]after=(\d+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '');
  return next?.[1] === undefined ? undefined : Number(next[1]);
}

/** The data of a response. Throws ApiError if the request failed or the service is unreachable. */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call.catch((cause) => {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(`the response could not be read: ${checks}`, { cause });
  });
  if (response.ok) return data as T;
  throw new ApiError(detailOf(error) ?? `the service responded with status ${response.status}`);
}

function detailOf(problem: unknown): string | undefined {
  const hasDetail = typeof problem === 'object' && problem !== null && 'detail' in problem;
  return hasDetail ? String(problem.detail) : undefined;
}
