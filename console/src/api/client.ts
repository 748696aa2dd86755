import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from '../../../src/client/openapi.ts';

/** Requests JSON. Live feeds and downloads are requested elsewhere. */
export type ConsoleApi = Client<paths, 'application/json'>;

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/** The API of this origin, called with the session cookie. Writes also send the CSRF token. */
export function createConsoleApi(csrfToken: string, onSignedOut: () => void): ConsoleApi {
  const api = createFetchClient<paths, 'application/json'>({ baseUrl: '' });
  const session: Middleware = {
    onRequest({ request }) {
      if (!safeMethods.includes(request.method)) request.headers.set('x-csrf-token', csrfToken);
      return request;
    },
    onResponse({ response }) {
      if (response.status === 401) onSignedOut();
    },
  };
  api.use(session);
  return api;
}

/** The API before sign-in. */
export function createSignInApi(): ConsoleApi {
  return createFetchClient<paths, 'application/json'>({ baseUrl: '' });
}
