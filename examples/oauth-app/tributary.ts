import * as oauth from 'openid-client';

export interface TributarySettings {
  /** The address of Tributary, exactly as in its metadata. */
  readonly url: string;
  readonly clientId: string;
  /** Undefined for a public app. */
  readonly clientSecret: string | undefined;
  readonly apiKey: string;
  readonly redirectUri: string;
}

/** Checks the callback; stored in the browser's session. */
export interface Begun {
  readonly state: string;
  readonly verifier: string;
}

/** The tokens of a user. To survive a restart, store them encrypted in a database. */
export interface Connection {
  tokens: { readonly access: string; readonly refresh: string; readonly expiresAt: number };
  renewal?: Promise<void> | undefined;
}

interface Audience {
  readonly name: string;
  readonly status: number;
  readonly unique_devices: number;
}

export async function createTributary(settings: TributarySettings) {
  const { url, clientId, clientSecret, apiKey, redirectUri } = settings;
  const config = await oauth.discovery(
    new URL(url),
    clientId,
    undefined,
    clientSecret === undefined ? oauth.None() : oauth.ClientSecretBasic(clientSecret),
    { algorithm: 'oauth2', execute: isOnThisMachine(url) ? [oauth.allowInsecureRequests] : [] },
  );

  /** An access token that has not expired and was not just refused. */
  async function accessToken(connection: Connection, refused?: string): Promise<string> {
    const { access, expiresAt } = connection.tokens;
    if (access === refused || Date.now() > expiresAt) {
      // A refresh token works once. If two requests sent the same one, all tokens would be revoked.
      connection.renewal ??= renew(connection).finally(() => {
        connection.renewal = undefined;
      });
      await connection.renewal;
    }
    return connection.tokens.access;
  }

  async function renew(connection: Connection): Promise<void> {
    connection.tokens = tokensOf(await oauth.refreshTokenGrant(config, connection.tokens.refresh));
  }

  function requestAudiences(userToken: string): Promise<Response> {
    return fetch(`${url}/v2/firstparty/audience`, {
      headers: { authorization: `Bearer ${apiKey}`, 'x-user-token': userToken },
      signal: AbortSignal.timeout(10_000),
    });
  }

  return {
    async begin(): Promise<{ readonly sendTo: string; readonly begun: Begun }> {
      const begun = { state: oauth.randomState(), verifier: oauth.randomPKCECodeVerifier() };
      const address = oauth.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'audiences',
        state: begun.state,
        code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
      });
      return { sendTo: address.href, begun };
    },

    /** Checks `state`, and `iss` against the metadata, before it sends the code. */
    async finish(cameBackTo: URL, { state, verifier }: Begun): Promise<Connection> {
      const checks = { expectedState: state, pkceCodeVerifier: verifier };
      return { tokens: tokensOf(await oauth.authorizationCodeGrant(config, cameBackTo, checks)) };
    },

    async audiences(connection: Connection): Promise<readonly Audience[]> {
      const token = await accessToken(connection);
      let response = await requestAudiences(token);
      if (response.status === 401) {
        response = await requestAudiences(await accessToken(connection, token));
      }
      if (!response.ok) throw new Error(`listing audiences failed with status ${response.status}`);
      return (await response.json()) as Audience[];
    },

    /** Revoking one token revokes the user's permission and all its tokens. */
    async disconnect(connection: Connection): Promise<void> {
      await connection.renewal;
      await oauth.tokenRevocation(config, connection.tokens.refresh);
    },
  };
}

/** `access_denied`: the user refused. `invalid_grant`: the permission has ended. */
export function refusalOf(error: unknown): string | undefined {
  const isRefusal =
    error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError;
  return isRefusal ? error.error : undefined;
}

function tokensOf(answer: Awaited<ReturnType<typeof oauth.refreshTokenGrant>>) {
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = answer;
  if (refresh === undefined || seconds === undefined)
    throw new Error('the token response is incomplete');
  // Slightly early, to allow for the time of the request.
  return { access, refresh, expiresAt: Date.now() + (seconds - 30) * 1000 };
}

/** Plain http is acceptable only on this machine; over a network tokens need https. */
function isOnThisMachine(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}
