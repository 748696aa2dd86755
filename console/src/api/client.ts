import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from '../../../src/client/openapi.ts';

/** Of what can be had in several forms it takes JSON; live feeds and downloads are asked for elsewhere. */
export type ConsoleApi = Client<paths, 'application/json'>;

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/** The API of this very origin, called with the session's cookie and the token that writes need. */
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

/** The same for whoever is not signed in yet. */
export function createSignInApi(): ConsoleApi {
  return createFetchClient<paths, 'application/json'>({ baseUrl: '' });
}
