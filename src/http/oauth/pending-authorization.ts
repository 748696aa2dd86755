import type { InteractionResults, Provider } from 'oidc-provider';
import type { OauthApp } from '../../records/access/oauth-apps.ts';
import { audiencesScope } from './client-metadata.ts';
import type { TransactionalRecords } from './transactional-records.ts';

/** An app's request that waits for the user's decision. */
export interface PendingAuthorization {
  readonly app: OauthApp;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
  /** Lets the app act for the user. Returns the address to send the browser to. Works only once. */
  allow(userId: number): Promise<string>;
  refuse(): Promise<string>;
}

/** Undefined if it is unknown, decided, begun in another browser, or no longer valid for its app. */
export async function findPending(
  provider: Provider,
  records: TransactionalRecords,
  uid: string,
  isSameBrowser: (mark: unknown) => boolean,
): Promise<PendingAuthorization | undefined> {
  const interaction = await provider.Interaction.find(uid);
  if (!interaction || interaction.result) return undefined;
  if (!isSameBrowser(interaction.prompt.details.browser)) return undefined;
  const { client_id, redirect_uri } = interaction.params;
  const app = await records.current().oauthApps.findActive(String(client_id));
  const redirectUri = String(redirect_uri);
  if (!app?.redirectUris.includes(redirectUri)) return undefined;

  async function settle(result: InteractionResults): Promise<string> {
    interaction!.result = result;
    await interaction!.persist();
    return interaction!.returnTo;
  }

  return {
    app,
    redirectUri,
    scopes: [audiencesScope],
    expiresAt: new Date(interaction.exp * 1000),

    // Of concurrent decisions only one commits, and only that one leaves a grant.
    allow: (userId) =>
      records.inTransaction(async () => {
        const accountId = String(userId);
        const grant = new provider.Grant({ accountId, clientId: app.clientId });
        grant.addOIDCScope(audiencesScope);
        const grantId = await grant.save();
        return settle({ login: { accountId, remember: false }, consent: { grantId } });
      }),

    refuse: () => settle({ error: 'access_denied', error_description: 'the user refused access' }),
  };
}
