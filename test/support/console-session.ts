import { randomUUID } from 'node:crypto';
import type { Answer, CallOptions, TestApp } from './app.ts';

/** A console session with its cookie. */
export interface SignedIn {
  readonly cookie: string;
  readonly csrfToken: string;
  readonly session: Answer['body'];
  /** Calls like the console, with the cookie and the CSRF token. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export async function signIn(app: TestApp, json: object): Promise<SignedIn> {
  const answer = await app.call('POST', '/v1/console/session', { json });
  if (answer.status !== 201) throw new Error(`not signed in: ${answer.text}`);
  const cookie = cookieOf(answer);
  const csrfToken: string = answer.body.csrf_token;
  return {
    cookie,
    csrfToken,
    session: answer.body,
    call: (method, path, options = {}) =>
      app.call(method, path, {
        ...options,
        headers: { cookie, 'x-csrf-token': csrfToken, ...options.headers },
      }),
  };
}

/** The cookie as a browser would send it back. */
export function cookieOf(answer: Answer): string {
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

export const password = 'a long sentence is a good password';

/** A customer with a user who has a unique e-mail address. */
export async function someUser(
  app: TestApp,
  email = `${randomUUID()}@harbor.example`,
): Promise<{ customerId: number; userId: number; email: string }> {
  const { customerId } = await app.records.customers.create('Harbor Coffee');
  const { userId } = await app.records.users.create(customerId, email, password);
  return { customerId, userId, email };
}
