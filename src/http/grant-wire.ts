import { Type } from 'typebox';
import type { OauthGrant } from '../records/oauth-grants.ts';
import { Id, Nullable, Timestamp } from './wire.ts';

/** Which app acts for which user, as it is put on the wire. */

export const GrantMembers = {
  grant_id: Id('For revoking it.'),
  app_name: Type.String({ examples: ['Audience Loader'] }),
  partner_name: Type.String({ description: 'Whose app it is.', examples: ['acme'] }),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp, { description: 'To the minute; null if never.' }),
  expires_at: Type.String({
    ...Timestamp,
    description: 'Unless the app asks for new tokens before.',
  }),
};

export function grantOnTheWire(grant: OauthGrant) {
  return {
    grant_id: grant.grantId,
    app_name: grant.appName,
    partner_name: grant.partnerName,
    created_at: grant.createdAt.toISOString(),
    last_used_at: grant.lastUsedAt?.toISOString() ?? null,
    expires_at: grant.expiresAt.toISOString(),
  };
}
