import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { NewUserDialog, PasswordLinkDialog } from './user-dialogs.tsx';
import { UserTable } from './user-table.tsx';
import type { User } from './wire.ts';

const userPath = '/admin/v1/customers/{customer_id}/users/{user_id}';

type Open = { readonly what: 'new' } | { readonly what: 'link' | 'remove'; readonly user: User };

/** The users who sign in for a customer and see its audiences. */
export function UsersPanel({ customerId }: { readonly customerId: string }) {
  const api = useApi();
  const users = useAnswer(
    () =>
      answerOf(
        api.GET('/admin/v1/customers/{customer_id}/users', {
          params: { path: { customer_id: customerId } },
        }),
      ),
    [customerId],
  );
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);

  const switching = useAction(async ({ user_id, is_disabled }: User) => {
    const params = { path: { customer_id: customerId, user_id: String(user_id) } };
    await answerOf(api.PATCH(userPath, { params, body: { disabled: !is_disabled } }));
    users.reload();
  });

  async function remove({ user_id }: User): Promise<void> {
    const params = { path: { customer_id: customerId, user_id: String(user_id) } };
    await answerOf(api.DELETE(userPath, { params }));
    users.reload();
  }

  return (
    <Panel
      title="Users"
      actions={<Button onClick={() => setOpen({ what: 'new' })}>New user</Button>}
    >
      <ProblemNote problem={users.problem ?? switching.problem} />
      {users.data?.length === 0 && (
        <EmptyState title="No users yet">
          <p>Users sign in with e-mail and password and see the audiences of this customer.</p>
          <CopyCommand command={`tributary user create ${customerId} ada@example.com`} />
        </EmptyState>
      )}
      {users.data && users.data.length > 0 && (
        <UserTable
          customerId={customerId}
          users={users.data}
          onSwitch={(user) => void switching.run(user)}
          onLink={(user) => setOpen({ what: 'link', user })}
          onRemove={(user) => setOpen({ what: 'remove', user })}
        />
      )}
      {open?.what === 'new' && (
        <NewUserDialog customerId={customerId} onChanged={users.reload} onClose={close} />
      )}
      {open?.what === 'link' && (
        <PasswordLinkDialog
          customerId={customerId}
          user={open.user}
          onChanged={users.reload}
          onClose={close}
        />
      )}
      {open?.what === 'remove' && (
        <ConfirmDialog
          title="Remove this user?"
          confirmLabel="Remove the user"
          onConfirm={() => remove(open.user)}
          onClose={close}
        >
          <p>
            <bdi>{open.user.email}</bdi> is signed out everywhere and can no longer sign in. Apps
            can no longer act for this user. The customer’s audiences stay. To block a user for a
            while, disable the user instead.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
