import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as client from 'openid-client';
import type { Page } from 'playwright-core';
import type { Partner } from '../../acceptance/marketplace/marketplace.ts';
import type { World } from './world.ts';

/** A partner's web app, using a third-party OAuth client. */
export interface PartnerApp extends AsyncDisposable {
  readonly name: string;
  readonly clientId: string;
  readonly url: string;
  /** Opens the app and follows its link to our page. */
  connect(page: Page): Promise<void>;
  /** Starts an authorization outside of the test's browser and returns the address of our page. */
  arriveWithoutBrowser(): Promise<string>;
  /** Waits until the browser has returned to the app, and returns the address. */
  cameBack(page: Page): Promise<URL>;
  /** Redeems the code in the address after checking state and issuer. */
  redeem(callback: URL): Promise<Tokens>;
  refresh(refreshToken: string): Promise<Tokens>;
}

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const link = 'Connect to Tributary';

/**
 * The app is at `localhost` and the service at 127.0.0.1. To a browser these are two sites, like the
 * domains of two companies, which decides which cookies it sends.
 */
export async function startPartnerApp(
  { url: issuer, operator }: World,
  partner: Partner,
  name = 'Audience Loader',
): Promise<PartnerApp> {
  const verifiers = new Map<string, string>();
  const server = createServer(async (request, response) => {
    if (request.url === '/connect') response.writeHead(303, { location: await begin() }).end();
    else if (request.url === '/') page(response, `<a href="/connect">${link}</a>`);
    else page(response, '<p>Back at the app');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const redirectUri = `${url}/callback`;

  const made = await operator.call('POST', `/admin/v1/partners/${partner.partnerId}/oauth-apps`, {
    name,
    kind: 'confidential',
    redirect_uris: [redirectUri],
  });
  if (made.status !== 201) throw new Error(await made.text());
  const registered = (await made.json()) as { client_id: string; client_secret: string };
  const config = await client.discovery(
    new URL(issuer),
    registered.client_id,
    undefined,
    client.ClientSecretBasic(registered.client_secret),
    { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
  );

  async function begin(): Promise<string> {
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    verifiers.set(state, verifier);
    const { href } = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'audiences',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
    return href;
  }

  return {
    name,
    clientId: registered.client_id,
    url,
    async connect(tab) {
      await tab.goto(url);
      await tab.getByRole('link', { name: link }).click();
      await tab.waitForURL(`${issuer}/console/authorize/*`);
    },
    async arriveWithoutBrowser() {
      const sent = await fetch(await begin(), { redirect: 'manual' });
      return sent.headers.get('location') ?? '';
    },
    async cameBack(tab) {
      await tab.waitForURL(`${redirectUri}?*`);
      await tab.getByText('Back at the app').waitFor();
      return new URL(tab.url());
    },
    async redeem(callback) {
      const expectedState = callback.searchParams.get('state') ?? '';
      const pkceCodeVerifier = verifiers.get(expectedState) ?? '';
      const checks = { expectedState, pkceCodeVerifier };
      return tokensOf(await client.authorizationCodeGrant(config, callback, checks));
    },
    refresh: async (refreshToken) => tokensOf(await client.refreshTokenGrant(config, refreshToken)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function page(response: ServerResponse, body: string): void {
  const html = `<!doctype html><html lang="en"><title>A partner’s app</title>${body}`;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
}

function tokensOf(answer: client.TokenEndpointResponse): Tokens {
  return { accessToken: answer.access_token, refreshToken: answer.refresh_token ?? '' };
}
