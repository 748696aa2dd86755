import { randomUUID } from 'node:crypto';
import type { Answer, CallOptions, TestApp } from './app.ts';

/** Somebody who is signed in to the console, with a browser's cookie. */
export interface SignedIn {
  readonly cookie: string;
  readonly csrfToken: string;
  readonly session: Answer['body'];
  /** As the console calls: by cookie, and with the CSRF token. */
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

/** What a browser would send back. */
export function cookieOf(answer: Answer): string {
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

export const password = 'a long sentence is a good password';

/** A customer with a user, of an address of their own. */
export async function someUser(
  app: TestApp,
  email = `${randomUUID()}@harbor.example`,
): Promise<{ customerId: number; userId: number; email: string }> {
  const { customerId } = await app.records.customers.create('Harbor Coffee');
  const { userId } = await app.records.users.create(customerId, email, password);
  return { customerId, userId, email };
}
