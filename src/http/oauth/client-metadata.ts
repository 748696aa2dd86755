import type { AdapterPayload } from 'oidc-provider';
import type { OauthApp } from '../../records/access/oauth-apps.ts';

/** The only scope: act on the audiences of the user's customer. */
export const audiencesScope = 'audiences';

/** An app as the library describes clients. `client_secret` is a hash and is compared as one. */
export function clientMetadata(app: OauthApp): AdapterPayload {
  return {
    client_id: app.clientId,
    client_name: app.name,
    application_type: 'web',
    redirect_uris: [...app.redirectUris],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: audiencesScope,
    ...(app.secretHash === null
      ? { token_endpoint_auth_method: 'none' }
      : {
          token_endpoint_auth_method: 'client_secret_basic',
          client_secret: app.secretHash.toString('base64url'),
        }),
  };
}
