import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as client from 'openid-client';
import { createLogger } from '../../src/config/logger.ts';
import { createGuessLimit } from '../../src/domain/guess-limit.ts';
import { createAuthorizationServer } from '../../src/http/oauth/authorization-server.ts';
import type { OauthAppKind } from '../../src/records/access/oauth-apps.ts';
import type { Records } from '../../src/records/records.ts';
import type { Answer, TestApp } from './app.ts';
import { type Browser, openBrowser, publicUrl } from './browser.ts';
import { password, someUser } from './console-session.ts';
import { manyGuesses } from './guesses.ts';

export const redirectUri = 'https://app.acme.example/callback';

/** A partner's app with a third-party OAuth client. */
export interface PartnerApp {
  readonly partnerId: number;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly config: client.Configuration;
  /** Starts an authorization: the address for the browser, and the values that check the callback. */
  begin(parameters?: Record<string, string>): Promise<Begun>;
  /** The whole flow: a user allows the app, and the app gets its tokens. */
  tokensFrom(browser: Browser): Promise<Tokens>;
  /** A POST to an endpoint, authenticated as the app, without the client. */
  post(path: string, parameters: Record<string, string>): Promise<Answer>;
}

interface Begun {
  readonly url: URL;
  readonly checks: { pkceCodeVerifier: string; expectedState: string };
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export async function partnerApp(
  apps: readonly TestApp[],
  { kind = 'confidential' as OauthAppKind, redirectUris = [redirectUri] } = {},
): Promise<PartnerApp> {
  const [app] = apps as [TestApp, ...TestApp[]];
  const { partner, apiKey } = await app.partner();
  const { partnerId } = partner;
  const { clientId, clientSecret } = await app.records.oauthApps.create(partnerId, {
    name: 'Audience Loader',
    kind,
    redirectUris,
  });
  const config = await client.discovery(
    new URL(publicUrl),
    clientId,
    undefined,
    clientSecret === null ? client.None() : client.ClientSecretBasic(clientSecret),
    {
      algorithm: 'oauth2',
      execute: [client.allowInsecureRequests],
      [client.customFetch]: byTurns(apps),
    },
  );

  const begin: PartnerApp['begin'] = async (parameters = {}) => {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUris[0]!,
      scope: 'audiences',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      ...parameters,
    });
    return { url, checks: { pkceCodeVerifier, expectedState } };
  };

  return {
    partnerId,
    apiKey,
    clientId,
    clientSecret,
    config,
    begin,

    async tokensFrom(browser) {
      const { url, checks } = await begin();
      const callback = await allowIn(browser, url);
      return tokensOf(await client.authorizationCodeGrant(config, callback, checks));
    },

    post: (path, parameters) =>
      app.call('POST', path, {
        body: new URLSearchParams(
          clientSecret === null ? { client_id: clientId, ...parameters } : parameters,
        ).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(clientSecret === null ? {} : { authorization: basic(clientId, clientSecret) }),
        },
      }),
  };
}

export function basic(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

export function tokensOf(answer: {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
}): Tokens {
  return { accessToken: answer.access_token, refreshToken: answer.refresh_token! };
}

/** A customer's user with their own browser, signed in to the console. */
export async function userAt(apps: readonly TestApp[], email = 'ada@harbor.example') {
  const [app] = apps as [TestApp, ...TestApp[]];
  const user = await someUser(app, email);
  const browser = openBrowser(...apps);
  await browser.signIn({ email, password });
  return { ...user, browser };
}

/** Follows the app's address to our page and returns the UID of the authorization. */
export async function arriveIn(browser: Browser, url: URL): Promise<string> {
  const sent = await browser.visit(url.href);
  const [, uid] = /\/console\/authorize\/([\w-]+)$/.exec(locationOf(sent)) ?? [];
  if (uid === undefined) throw new Error(`no authorization page: ${sent.status} ${sent.text}`);
  return uid;
}

/** Sends the user's decision and follows the redirect to the app, with a code or an error. */
export async function decideIn(browser: Browser, uid: string, allow: boolean): Promise<URL> {
  const decided = await browser.call('POST', `/v1/console/authorizations/${uid}`, {
    json: { allow },
  });
  if (decided.status !== 200) throw new Error(`the decision failed: ${decided.text}`);
  return new URL(locationOf(await browser.visit(decided.body.redirect_to)));
}

export async function allowIn(browser: Browser, url: URL): Promise<URL> {
  return decideIn(browser, await arriveIn(browser, url), true);
}

export function locationOf(answer: Answer): string {
  return answer.headers.get('location') ?? '';
}

/** The authorization server alone, as in its own process. */
export async function serveAuthorization(
  records: Records,
  address: string,
  now: () => number = Date.now,
): Promise<AsyncDisposable & { readonly url: string }> {
  const log = createLogger({ level: 'info', role: 'api', secrets: [], write: () => {} });
  const server = createAuthorizationServer(
    {
      records,
      publicUrl: address,
      rateLimit: 1_000_000,
      guesses: createGuessLimit(manyGuesses),
      log,
    },
    now,
  );
  const listening = createServer(async (request, response) => {
    const respond = await server.responder();
    await respond(request, response, '127.0.0.1');
  });
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      listening.closeAllConnections();
      await new Promise((resolve) => listening.close(resolve));
    },
  };
}

/** Requests to the public address reach the apps in turn. */
function byTurns(apps: readonly TestApp[]): client.CustomFetch {
  let turn = 0;
  return (url, options) => {
    const { pathname, search } = new URL(url);
    const app = apps[turn++ % apps.length]!;
    return fetch(app.url + pathname + search, options as RequestInit);
  };
}
