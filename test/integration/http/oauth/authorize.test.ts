import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../../../support/app.ts';
import { openBrowser, publicUrl } from '../../../support/browser.ts';
import { sendRaw } from '../../../support/http.ts';
import { locationOf, type PartnerApp, partnerApp, redirectUri } from '../../../support/oauth.ts';

let service: TestApp;
let app: PartnerApp;
beforeAll(async () => {
  service = await startTestApp();
  app = await partnerApp([service]);
});
afterAll(() => service[Symbol.asyncDispose]());

async function visit(change: (parameters: URLSearchParams) => void): Promise<Answer> {
  const { url } = await app.begin();
  change(url.searchParams);
  return openBrowser(service).visit(url.href);
}

/** The error is shown on our own page; the browser is not redirected. */
function expectErrorPage(answer: Answer, error: string, status = 400): void {
  expect(`${answer.status} ${answer.headers.get('location')}`).toBe(`${status} null`);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.text).toContain(`<code>${error}</code>`);
  const policy = answer.headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; style-src 'self';/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.text).toContain(answer.headers.get('x-request-id'));
  expect(answer.text).not.toMatch(/<script|\sstyle=|node_modules|\bat .*\.(ts|js):\d/);
}

/** The browser is redirected to the app with the error and without a code. */
function expectSentBack(answer: Answer, error: string): void {
  const back = new URL(locationOf(answer));
  expect(back.origin + back.pathname).toBe(redirectUri);
  // The specification puts the response in the fragment if the app asked for a token.
  const reported = new URLSearchParams(back.hash === '' ? back.search : back.hash.slice(1));
  expect(reported.get('error')).toBe(error);
  expect(reported.get('iss')).toBe(publicUrl);
  expect(reported.get('state')).toMatch(/./);
  for (const name of ['code', 'access_token', 'id_token']) expect(reported.has(name)).toBe(false);
}

describe('the browser is never redirected to an address that is not exactly as registered', () => {
  test.each([
    ['on another site', 'https://evil.example/callback'],
    ['shortened', 'https://app.acme.example/call'],
    ['without its path', 'https://app.acme.example/'],
    ['with a longer path', `${redirectUri}/more`],
    ['with a trailing slash', `${redirectUri}/`],
    ['with a query', `${redirectUri}?next=https://evil.example`],
    ['with a fragment', `${redirectUri}#a`],
    ['with a host in another case', 'https://APP.acme.example/callback'],
    ['with a path in another case', 'https://app.acme.example/Callback'],
    ['on another port', 'https://app.acme.example:8443/callback'],
    ['with the default port written out', 'https://app.acme.example:443/callback'],
    ['with another scheme', 'http://app.acme.example/callback'],
    ['with a longer host', 'https://app.acme.example.evil.example/callback'],
    ['with a user name', 'https://app.acme.example@evil.example/callback'],
    ['with a .. segment', 'https://app.acme.example/x/../callback'],
    ['with an escaped letter', 'https://app.acme.example/%63allback'],
    ['with a script', 'javascript:alert(1)//app.acme.example/callback'],
    ['with markup', '"><script>alert(1)</script>'],
    ['on the service itself', `${publicUrl}/console`],
    ['empty', ''],
  ])('%s', async (_, address) => {
    const answer = await visit((parameters) => parameters.set('redirect_uri', address));
    expectErrorPage(answer, address === '' ? 'invalid_request' : 'invalid_redirect_uri');
  });

  test('missing or sent twice', async () => {
    expectErrorPage(await visit((to) => to.delete('redirect_uri')), 'invalid_request');
    const twice = await visit((to) => to.append('redirect_uri', 'https://evil.example/'));
    expectErrorPage(twice, 'invalid_request');
  });

  test('not even to report another error', async () => {
    const answer = await visit((parameters) => {
      parameters.set('redirect_uri', 'https://evil.example/');
      parameters.set('response_type', 'token');
      parameters.set('scope', 'everything');
      parameters.delete('code_challenge');
    });
    expectErrorPage(answer, 'invalid_redirect_uri');
  });
});

test.each(['', 'unknown', `app_${'0'.repeat(32)}`, '\0', '<script>'])(
  'an unknown client gets the error page: %j',
  async (clientId) => {
    const answer = await visit((parameters) => parameters.set('client_id', clientId));
    expectErrorPage(answer, clientId === '' ? 'invalid_request' : 'invalid_client');
  },
);

describe('errors in the request are reported to the app by redirect', () => {
  test.each([
    ['no PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['PKCE with the plain method', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE without a method', { code_challenge_method: null }, 'invalid_request'],
    ['an invalid challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['a token response', { response_type: 'token' }, 'unsupported_response_type'],
    ['an id token response', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['a code and token response', { response_type: 'code token' }, 'unsupported_response_type'],
    ['an empty response', { response_type: 'none' }, 'unsupported_response_type'],
    ['another scope', { scope: 'everything' }, 'invalid_scope'],
    ['OpenID Connect', { scope: 'openid' }, 'invalid_scope'],
    ['OpenID Connect as a second scope', { scope: 'audiences openid' }, 'invalid_scope'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request URI', { request_uri: 'https://evil.example/' }, 'request_uri_not_supported'],
    ['a registration', { registration: '{}' }, 'registration_not_supported'],
    ['a login prompt', { prompt: 'login' }, 'invalid_request'],
    ['contradictory prompts', { prompt: 'none consent' }, 'invalid_request'],
    ['no prompt', { prompt: 'none' }, 'consent_required'],
    ['an id token hint', { id_token_hint: 'e30.e30.' }, 'invalid_request'],
  ])('%s', async (_, changes: Record<string, string | null>, error) => {
    const answer = await visit((parameters) => {
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) parameters.delete(name);
        else parameters.set(name, value);
      }
    });
    expectSentBack(answer, error);
  });

  test.each(['fragment', 'form_post', 'web_message', 'jwt', 'query.jwt'])(
    'but not in the response mode %s',
    async (mode) => {
      const answer = await visit((parameters) => parameters.set('response_mode', mode));
      expectErrorPage(answer, 'unsupported_response_mode');
    },
  );
});

test('a state that is too long is refused', async () => {
  const answer = await visit((parameters) => parameters.set('state', 'x'.repeat(2_001)));
  expectErrorPage(answer, 'invalid_request');
  const longest = await visit((parameters) => parameters.set('state', 'x'.repeat(2_000)));
  expect(longest.status).toBe(303);
});

test('endpoints that we do not offer are not found', async () => {
  for (const path of [
    '/.well-known/openid-configuration',
    '/oauth/me',
    '/me',
    '/reg',
    '/request',
    '/session/end',
    '/oauth/session/end',
    '/session/end/confirm',
    '/session/end?post_logout_redirect_uri=https://evil.example/',
    '/device',
    '/device/auth',
    '/backchannel',
    '/interaction/x',
    '/OAuth/Authorize',
    '/oauth/authorize/x/abort',
  ]) {
    for (const method of ['GET', 'POST']) {
      expect(`${path} ${(await service.call(method, path)).status}`).toBe(`${path} 404`);
    }
  }
});

test('other methods are refused', async () => {
  const allowed = {
    '/oauth/authorize': 'GET, HEAD, OPTIONS',
    '/oauth/authorize/x': 'GET, HEAD, OPTIONS',
    '/oauth/jwks': 'GET, HEAD, OPTIONS',
    '/oauth/token': 'OPTIONS, POST',
    '/oauth/revoke': 'OPTIONS, POST',
    '/oauth/introspect': 'OPTIONS, POST',
  };
  for (const [path, allow] of Object.entries(allowed)) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'SEARCH']) {
      if (allow.includes(method)) continue;
      const answer = await service.call(method, path);
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 405`);
      expect(answer.headers.get('allow')).toBe(allow);
    }
  }
});

test('no request header changes an address in a response', async () => {
  const headers =
    'host: evil.example\r\nx-forwarded-host: evil.example\r\nx-forwarded-proto: https\r\nforwarded: host=evil.example\r\n';
  const metadata = await sendRaw(
    service.url,
    `GET /.well-known/oauth-authorization-server HTTP/1.1\r\n${headers}\r\n`,
  );
  expect(metadata.body.token_endpoint).toBe(`${publicUrl}/oauth/token`);
  const { url } = await app.begin();
  const sent = await sendRaw(
    service.url,
    `GET ${url.pathname}${url.search} HTTP/1.1\r\n${headers}\r\n`,
  );
  expect(locationOf(sent)).toMatch(/^http:\/\/localhost:8080\/console\/authorize\/[\w-]+$/);
  const whole = await sendRaw(
    service.url,
    'GET http://evil.example/.well-known/oauth-authorization-server HTTP/1.1\r\nhost: x\r\n\r\n',
  );
  expect(whole.status).toBe(400);
  expect(whole.text).not.toContain('evil');
});

test('an authorization sets only cookies that scripts cannot read, and no session', async () => {
  const { url } = await app.begin();
  const answer = await openBrowser(service).visit(url.href);
  const cookies = answer.headers.getSetCookie();
  expect(cookies.map((line) => line.split('=')[0]).sort()).toEqual([
    'tributary-authorization',
    'tributary-authorization.sig',
    'tributary-browser',
  ]);
  for (const line of cookies) {
    expect(line).toMatch(/; httponly/i);
    expect(line).toMatch(/; samesite=lax/i);
  }
});

test('each request is one log line, without its query', async () => {
  service.logged.length = 0;
  const { url } = await app.begin();
  await openBrowser(service).visit(url.href);
  const lines = service.logged.map((line) => JSON.parse(line));
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'request', path: '/oauth/authorize', status: 303 }),
  ]);
});
