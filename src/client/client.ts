import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './openapi.ts';

export type TributaryClient = Client<paths>;

/** The API, typed by its own OpenAPI document. With a user token a partner acts for a customer. */
export function createClient(baseUrl: string, token: string, userToken?: string): TributaryClient {
  return createFetchClient<paths>({
    baseUrl,
    headers: {
      authorization: `Bearer ${token}`,
      ...(userToken === undefined ? {} : { 'x-user-token': userToken }),
    },
  });
}

/** An answer that was a problem, in the service's own words. */
export class ProblemAnswer extends Error {
  override readonly name = 'ProblemAnswer';
}

/** The data of an answer; throws ProblemAnswer if it is a problem, or if nobody answers. */
export async function answerOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call.catch((cause) => {
    throw new ProblemAnswer(
      'nothing answers there: is the service running, and at TRIBUTARY_URL?',
      { cause },
    );
  });
  if (response.ok) return data as T;
  throw new ProblemAnswer(detailOf(error) ?? `the service answered ${response.status}`);
}

function detailOf(problem: unknown): string | undefined {
  const hasDetail = typeof problem === 'object' && problem !== null && 'detail' in problem;
  return hasDetail ? String(problem.detail) : undefined;
}
