import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { TextField } from '../../parts/field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { IssueDialog } from './issue-dialog.tsx';
import { NewPasswordField } from './new-password-field.tsx';
import { useFocus } from './use-focus.ts';
import type { User } from './wire.ts';

interface UserDialogProps {
  readonly customerId: string;
  onChanged(): void;
  onClose(): void;
}

export function NewUserDialog({ customerId, onChanged, onClose }: UserDialogProps) {
  const api = useApi();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const field = useFocus<HTMLInputElement>();

  function create() {
    return answerOf(
      api.POST('/admin/v1/customers/{customer_id}/users', {
        params: { path: { customer_id: customerId } },
        body: { email, password },
      }),
    );
  }

  return (
    <IssueDialog
      title="New user"
      issueLabel="Create the user"
      issue={create}
      shown={(created) => <Handover email={created.email} password={password} />}
      onIssued={onChanged}
      onClose={onClose}
    >
      <TextField
        ref={field}
        label="E-mail"
        type="email"
        required
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <NewPasswordField password={password} onPassword={setPassword} />
    </IssueDialog>
  );
}

interface NewPasswordDialogProps extends UserDialogProps {
  readonly user: User;
}

export function NewPasswordDialog(props: NewPasswordDialogProps) {
  const { customerId, user, onChanged, onClose } = props;
  const api = useApi();
  const [password, setPassword] = useState('');
  const field = useFocus<HTMLInputElement>();

  async function change() {
    await answerOf(
      api.PATCH('/admin/v1/customers/{customer_id}/users/{user_id}', {
        params: { path: { customer_id: customerId, user_id: String(user.user_id) } },
        body: { password },
      }),
    );
  }

  return (
    <IssueDialog
      title="New password"
      issueLabel="Set the password"
      issue={change}
      shown={() => <Handover email={user.email} password={password} />}
      onIssued={onChanged}
      onClose={onClose}
    >
      <p>
        <bdi>{user.email}</bdi> will be signed out everywhere.
      </p>
      <NewPasswordField ref={field} password={password} onPassword={setPassword} />
    </IssueDialog>
  );
}

function Handover({ email, password }: { readonly email: string; readonly password: string }) {
  return (
    <>
      <p>
        <bdi>{email}</bdi> can sign in with this password and change it under “Account”.
      </p>
      <ShownOnce label="Password" value={password} />
    </>
  );
}
