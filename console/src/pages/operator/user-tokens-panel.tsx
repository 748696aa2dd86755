import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { IssuedPanel } from './issued-panel.tsx';
import { NewUserTokenDialog } from './new-user-token-dialog.tsx';

const tokensPath = '/admin/v1/partners/{partner_id}/user-tokens';

/** The tokens with which the partner acts on behalf of customers. */
export function UserTokensPanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const path = { partner_id: partnerId };
  const tokens = useAnswer(() => answerOf(api.GET(tokensPath, { params: { path } })), [partnerId]);
  const customers = useAnswer(() => answerOf(api.GET('/admin/v1/customers')), []);
  const names = new Map(customers.data?.map(({ customer_id, name }) => [customer_id, name]));
  return (
    <IssuedPanel
      title="User tokens"
      things="user tokens"
      thing="token"
      nameHeading="Customer"
      named={({ id, name }) => `user token ${id} for ${name}`}
      issued={tokens.data?.map((token) => ({
        id: String(token.user_token_id),
        name: names.get(token.customer_id) ?? `Customer ${token.customer_id}`,
        createdAt: token.created_at,
        lastUsedAt: token.last_used_at,
        expiresAt: token.expires_at,
        revokedAt: token.revoked_at,
      }))}
      problem={tokens.problem ?? customers.problem}
      whenEmpty="The partner needs a user token to load audiences on behalf of a customer."
      command={`tributary user-token create ${partnerId} <customer>`}
      warningFor={({ name }) => (
        <>
          From now on the partner cannot act for <bdi>{name}</bdi> with this token. The audiences
          stay.
        </>
      )}
      revoke={async ({ id }) => {
        const params = { path: { ...path, user_token_id: id } };
        await answerOf(api.DELETE(`${tokensPath}/{user_token_id}`, { params }));
        tokens.reload();
      }}
      newDialog={(close) =>
        customers.data && (
          <NewUserTokenDialog
            partnerId={partnerId}
            customers={customers.data}
            onIssued={tokens.reload}
            onClose={close}
          />
        )
      }
    />
  );
}
