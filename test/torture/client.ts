import { until } from './until.ts';

/** What a request may send besides its path. */
export interface Sent {
  readonly token: string;
  readonly json?: object;
  readonly body?: Buffer;
  readonly idempotencyKey?: string;
  readonly userToken?: string | undefined;
}

/** Calls the service, and sends a request again until it is answered. */
export type Client = ReturnType<typeof createClient>;

/** Longer than the service may take to notice that its database does not answer. */
const answerMs = 20_000;
/** Answers of a service that is starting, has lost a dependency or has no space. */
const temporary = new Set([409, 503, 507]);

export function createClient(url: string) {
  /** Sends a request once. Undefined if there was no answer. */
  async function attempt(method: string, path: string, sent: Sent) {
    const { token, json, body, idempotencyKey, userToken } = sent;
    try {
      const answer = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(json ? { 'content-type': 'application/json' } : {}),
          ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
          ...(userToken ? { 'x-user-token': userToken } : {}),
        },
        ...(json ? { body: JSON.stringify(json) } : {}),
        ...(body ? { body: new Uint8Array(body) } : {}),
        signal: AbortSignal.timeout(answerMs),
      });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      // The connection was refused or cut, or there was no answer in time.
      if (error instanceof TypeError || error instanceof DOMException) return undefined;
      throw error;
    }
  }

  /** The body of the 2xx response; the parsed problem of a 404. */
  async function send<T>(method: string, path: string, sent: Sent): Promise<T> {
    const answer = await until(`an answer to ${method} ${path}`, async () => {
      const received = await attempt(method, path, sent);
      return received && !temporary.has(received.status) && received;
    });
    if (answer.status >= 300) {
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
    }
    return (answer.text === '' ? undefined : JSON.parse(answer.text)) as T;
  }

  return {
    attempt,
    send,
    get: <T>(path: string, token: string, userToken?: string) =>
      send<T>('GET', path, { token, userToken }),
  };
}
