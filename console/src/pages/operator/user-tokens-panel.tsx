import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type Issued, IssuedTable } from './issued-table.tsx';
import { NewUserTokenDialog } from './new-user-token-dialog.tsx';

const tokensPath = '/admin/v1/partners/{partner_id}/user-tokens';

/** With these the partner acts for a customer. */
export function UserTokensPanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const path = { partner_id: partnerId };
  const tokens = useAnswer(() => answerOf(api.GET(tokensPath, { params: { path } })), [partnerId]);
  const customers = useAnswer(() => answerOf(api.GET('/admin/v1/customers')), []);
  const [open, setOpen] = useState<'new' | Issued>();
  const close = () => setOpen(undefined);

  async function revoke({ id }: Issued): Promise<void> {
    const params = { path: { ...path, user_token_id: id } };
    await answerOf(api.DELETE(`${tokensPath}/{user_token_id}`, { params }));
    tokens.reload();
  }

  const names = new Map(customers.data?.map(({ customer_id, name }) => [customer_id, name]));
  const issued = tokens.data?.map((token) => ({
    id: String(token.user_token_id),
    name: names.get(token.customer_id) ?? `Customer ${token.customer_id}`,
    createdAt: token.created_at,
    lastUsedAt: token.last_used_at,
    expiresAt: token.expires_at,
    revokedAt: token.revoked_at,
  }));
  return (
    <Panel title="User tokens" actions={<Button onClick={() => setOpen('new')}>New token</Button>}>
      <ProblemNote problem={tokens.problem ?? customers.problem} />
      {issued?.length === 0 && (
        <EmptyState title="No tokens yet">
          <p>With a user token the partner loads audiences on behalf of a customer.</p>
          <CopyCommand command={`tributary user-token create ${partnerId} <customer>`} />
        </EmptyState>
      )}
      {issued && issued.length > 0 && (
        <IssuedTable what="user tokens" nameHeading="Customer" issued={issued} onRevoke={setOpen} />
      )}
      {open === 'new' && customers.data && (
        <NewUserTokenDialog
          partnerId={partnerId}
          customers={customers.data}
          onIssued={tokens.reload}
          onClose={close}
        />
      )}
      {open !== undefined && open !== 'new' && (
        <ConfirmDialog
          title="Revoke this token?"
          confirmLabel="Revoke the token"
          onConfirm={() => revoke(open)}
          onClose={close}
        >
          <p>
            The partner can no longer act for <bdi>{open.name}</bdi> with it, from the next request
            on. The audiences stay. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
