/** The credentials of a sign-in, as the API expects them. */
export type Credentials =
  | { readonly email: string; readonly password: string }
  | { readonly api_key: string }
  | { readonly admin_token: string };

export interface SessionCookie {
  readonly name: string;
  readonly value: string;
}

export interface ApiSession {
  readonly cookie: SessionCookie;
  readonly sessionId: number;
  readonly csrfToken: string;
}

/** Signs in without a browser, which is faster for tests that are not about the sign-in. */
export async function signInByApi(url: string, credentials: Credentials): Promise<ApiSession> {
  const response = await fetch(`${url}/v1/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const body = await response.text();
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  if (response.status !== 201 || name === undefined || value === undefined) {
    throw new Error(`sign-in failed with status ${response.status}: ${body}`);
  }
  const { session_id, csrf_token } = JSON.parse(body);
  return { cookie: { name, value }, sessionId: session_id, csrfToken: csrf_token };
}

/** Whether a cookie belongs to a valid session. */
export async function isSession(url: string, { name, value }: SessionCookie): Promise<boolean> {
  const headers = { cookie: `${name}=${value}` };
  return (await fetch(`${url}/v1/console/session`, { headers })).status === 200;
}
