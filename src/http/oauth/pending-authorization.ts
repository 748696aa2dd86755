import type { InteractionResults, Provider } from 'oidc-provider';
import type { OauthApp } from '../../records/access/oauth-apps.ts';
import { audiencesScope } from './client-metadata.ts';
import type { JointRecords } from './joint-records.ts';

/** A request of an app that waits for its user. */
export interface PendingAuthorization {
  readonly app: OauthApp;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
  /** Lets the app act for the user: where the browser goes from here. It is decided once. */
  allow(userId: number): Promise<string>;
  refuse(): Promise<string>;
}

/** Undefined if there is none, or it is decided, or not for this browser, or not any more for its app. */
export async function findPending(
  provider: Provider,
  records: JointRecords,
  uid: string,
  isSameBrowser: (mark: unknown) => boolean,
): Promise<PendingAuthorization | undefined> {
  const interaction = await provider.Interaction.find(uid);
  if (!interaction || interaction.result) return undefined;
  if (!isSameBrowser(interaction.prompt.details.browser)) return undefined;
  const { client_id, redirect_uri } = interaction.params;
  const app = await records.current().oauthApps.find(String(client_id));
  const redirectUri = String(redirect_uri);
  if (!app || app.isDisabled || !app.redirectUris.includes(redirectUri)) return undefined;

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

    // Of several decisions at once one counts, and only that one leaves a grant.
    allow: (userId) =>
      records.together(async () => {
        const accountId = String(userId);
        const grant = new provider.Grant({ accountId, clientId: app.clientId });
        grant.addOIDCScope(audiencesScope);
        const grantId = await grant.save();
        return settle({ login: { accountId, remember: false }, consent: { grantId } });
      }),

    refuse: () =>
      settle({ error: 'access_denied', error_description: 'the user has not allowed it' }),
  };
}
