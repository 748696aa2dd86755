import * as oauth from 'openid-client';

export interface TributarySettings {
  /** Where Tributary is, exactly as its metadata names itself. */
  readonly url: string;
  readonly clientId: string;
  /** A public app has none. */
  readonly clientSecret: string | undefined;
  readonly apiKey: string;
  readonly redirectUri: string;
}

/** What the answer to an authorization is checked by; it stays with the browser's session. */
export interface Begun {
  readonly state: string;
  readonly verifier: string;
}

/** What a user has allowed. To survive a restart it would be kept in a database, encrypted. */
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

  /** An access token that has not expired, and is not the one that was just refused. */
  async function accessToken(connection: Connection, refused?: string): Promise<string> {
    const { access, expiresAt } = connection.tokens;
    if (access === refused || Date.now() > expiresAt) {
      // A refresh token serves once: if two requests sent the same one, all tokens would be revoked.
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

    /** Compares `state`, and `iss` with the metadata, before it sends the code anywhere. */
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
      if (!response.ok) throw new Error(`the audiences were refused with ${response.status}`);
      return (await response.json()) as Audience[];
    },

    /** Revoking one token revokes all that came of the user's permission. */
    async disconnect(connection: Connection): Promise<void> {
      await connection.renewal;
      await oauth.tokenRevocation(config, connection.tokens.refresh);
    },
  };
}

/** `access_denied`: the user did not allow it. `invalid_grant`: it is not allowed any more. */
export function refusalOf(error: unknown): string | undefined {
  const isRefusal =
    error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError;
  return isRefusal ? error.error : undefined;
}

function tokensOf(answer: Awaited<ReturnType<typeof oauth.refreshTokenGrant>>) {
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = answer;
  if (refresh === undefined || seconds === undefined) throw new Error('the answer lacks tokens');
  // A little early, for the way takes time.
  return { access, refresh, expiresAt: Date.now() + (seconds - 30) * 1000 };
}

/** Plain http is for trying things out; over any network tokens need https. */
function isOnThisMachine(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}
