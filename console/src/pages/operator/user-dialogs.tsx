import { useState } from 'react';
import type { ConsoleApi } from '../../api/client.ts';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { TextField } from '../../parts/field.tsx';
import { exactTime } from '../../parts/format.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { IssueDialog } from './issue-dialog.tsx';
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
  const field = useFocus<HTMLInputElement>();

  async function invite() {
    const created = await answerOf(
      api.POST('/admin/v1/customers/{customer_id}/users', {
        params: { path: { customer_id: customerId } },
        body: { email },
      }),
    );
    return createLink(api, customerId, created);
  }

  return (
    <IssueDialog
      title="New user"
      issueLabel="Invite the user"
      issue={invite}
      shown={(link) => <Handover link={link} />}
      onIssued={onChanged}
      onClose={onClose}
    >
      <p>The user gets a link to choose a password. It works once, for 7 days.</p>
      <TextField
        ref={field}
        label="E-mail"
        type="email"
        required
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
    </IssueDialog>
  );
}

interface PasswordLinkDialogProps extends UserDialogProps {
  readonly user: User;
}

export function PasswordLinkDialog(props: PasswordLinkDialogProps) {
  const { customerId, user, onChanged, onClose } = props;
  const api = useApi();
  return (
    <IssueDialog
      title="Password link"
      issueLabel="Create the link"
      issue={() => createLink(api, customerId, user)}
      shown={(link) => <Handover link={link} />}
      onIssued={onChanged}
      onClose={onClose}
    >
      <p>
        <bdi>{user.email}</bdi> gets a link to choose a password. When the user opens it and chooses
        a password, the old password and all other links stop working, and all sessions end.
        Connected apps stay connected. To end all access now, disable the user.
      </p>
    </IssueDialog>
  );
}

type Link = Awaited<ReturnType<typeof createLink>>;

async function createLink(
  api: ConsoleApi,
  customerId: string,
  { user_id, email }: Pick<User, 'user_id' | 'email'>,
) {
  const link = await answerOf(
    api.POST('/admin/v1/customers/{customer_id}/users/{user_id}/password-link', {
      params: { path: { customer_id: customerId, user_id: String(user_id) } },
    }),
  );
  return { ...link, email };
}

/** Says whether the link was sent. The link is shown only if it was not. */
function Handover({ link }: { readonly link: Link }) {
  const { email, mailed_to, url, mail_problem } = link;
  const until = `It works once, until ${exactTime(new Date(link.expires_at))}.`;
  if (url === null) {
    return (
      <p>
        The link was sent to <bdi>{mailed_to}</bdi>. {until}
      </p>
    );
  }
  return (
    <>
      {mail_problem !== null && (
        <p>
          <strong>The e-mail could not be sent.</strong> Reason: {mail_problem}
        </p>
      )}
      <p>
        Send this link to <bdi>{email}</bdi>. {until}
      </p>
      <ShownOnce label="Link" value={url} />
    </>
  );
}
