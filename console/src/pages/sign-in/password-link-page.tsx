import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { createSignInApi } from '../../api/client.ts';
import { answerOf } from '../../api/problem.ts';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { exactTime } from '../../parts/format.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useInvalidFocus } from '../../parts/use-invalid-focus.ts';
import { NewPasswordFields } from '../account/new-password-fields.tsx';
import { type PasswordErrors, passwordErrors } from '../account/password-errors.ts';
import { SignInLayout } from './sign-in-layout.tsx';

/** Reached by a link from the operator or an e-mail. The link's token is in the fragment. */
export function PasswordLinkPage() {
  const { token, visit } = useLinkToken();
  return token === '' ? <NoLink /> : <LinkedPage key={visit} token={token} />;
}

/**
 * The token of the link that was opened last. It leaves the address bar and the history at once. Another link
 * that is opened in the same tab changes only the fragment, so no page is loaded.
 */
function useLinkToken(): { readonly token: string; readonly visit: number } {
  const [opened, setOpened] = useState(() => ({ token: tokenInAddress(), visit: 0 }));
  useEffect(() => {
    const hide = () => window.history.replaceState(null, '', window.location.pathname);
    function read(): void {
      const token = tokenInAddress();
      if (token === '') return;
      setOpened(({ visit }) => ({ token, visit: visit + 1 }));
      hide();
    }
    hide();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return opened;
}

function tokenInAddress(): string {
  return window.location.hash.slice(1);
}

function NoLink() {
  return (
    <SignInLayout title="Choose a password">
      <p>Open the link again. For safety, this page does not keep it.</p>
      <SignInLink />
    </SignInLayout>
  );
}

function LinkedPage({ token }: { readonly token: string }) {
  const link = useAnswer(
    () => answerOf(createSignInApi().POST('/v1/console/password-links/check', { body: { token } })),
    [token],
  );
  if (link.problem) {
    return (
      <SignInLayout title="Choose a password">
        <ProblemNote problem={link.problem} />
        <SignInLink />
      </SignInLayout>
    );
  }
  return link.data ? <PasswordForm token={token} link={link.data} /> : null;
}

interface PasswordFormProps {
  readonly token: string;
  readonly link: { readonly email: string; readonly expires_at: string };
}

function PasswordForm({ token, link }: PasswordFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useState<PasswordErrors>({});
  const [isSet, setSet] = useState(false);
  const use = useAction((new_password: string) =>
    answerOf(
      createSignInApi().POST('/v1/console/password-links/use', { body: { token, new_password } }),
    ),
  );
  useInvalidFocus(form, faults);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const wanted = String(typed.get('new') ?? '');
    const found = passwordErrors(undefined, wanted, String(typed.get('again') ?? ''));
    setFaults(found);
    if (Object.keys(found).length === 0 && (await use.run(wanted))) setSet(true);
  }

  if (isSet) {
    return (
      <SignInLayout key="set" title="Password set">
        <p role="status">
          Sign in as <bdi>{link.email}</bdi> with your new password. All earlier sessions have
          ended; connected apps stay connected. If someone else knew the old password, look at your
          connected apps.
        </p>
        <SignInLink />
      </SignInLayout>
    );
  }
  return (
    <SignInLayout title="Choose a password">
      <form ref={form} className="form" noValidate onSubmit={submit}>
        <p className="muted">
          For <bdi>{link.email}</bdi>. The link works once, until{' '}
          {exactTime(new Date(link.expires_at))}.
        </p>
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={link.email}
          hidden
          readOnly
        />
        <NewPasswordFields faults={faults} />
        <ProblemNote problem={use.problem} />
        <Button kind="primary" type="submit" disabled={use.isRunning}>
          Set the password
        </Button>
      </form>
    </SignInLayout>
  );
}

/** Loads a new document, so that no data of an earlier session is shown. */
function SignInLink() {
  return (
    <p>
      <a href="/console/sign-in">Sign in</a>
    </p>
  );
}
