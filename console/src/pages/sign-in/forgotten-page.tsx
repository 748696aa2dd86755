import { type SubmitEvent, useRef, useState } from 'react';
import { createSignInApi } from '../../api/client.ts';
import { answerOf, fieldProblem } from '../../api/problem.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useInvalidFocus } from '../../parts/use-invalid-focus.ts';
import { SignInLayout } from './sign-in-layout.tsx';

/** Asks for the e-mail address to which the service sends a link. */
export function ForgottenPage({ onBack }: { onBack: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const [sentTo, setSentTo] = useState<string>();
  const [fault, setFault] = useState<string>();
  const request = useAction((email: string) =>
    answerOf(createSignInApi().POST('/v1/console/password-links/request', { body: { email } })),
  );
  const isInvalid = fieldProblem(request.problem, 'email') !== undefined;
  useInvalidFocus(form, isInvalid ? request.problem : fault);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get('email') ?? '').trim();
    setFault(email === '' ? 'Enter your e-mail address.' : undefined);
    if (email !== '' && (await request.run(email))) setSentTo(email);
  }

  return (
    <SignInLayout title="Forgot password">
      {sentTo === undefined ? (
        <form ref={form} className="form" noValidate onSubmit={submit}>
          <p className="muted">The service e-mails you a link to choose a new password.</p>
          <TextField
            name="email"
            label="E-mail"
            type="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={254}
            required
            problem={isInvalid ? 'Enter a valid e-mail address.' : fault}
          />
          <ProblemNote problem={request.problem} isAtField={isInvalid} />
          <Button kind="primary" type="submit" disabled={request.isRunning}>
            Send the link
          </Button>
        </form>
      ) : (
        <p role="status">
          If <bdi>{sentTo}</bdi> has an account, a link is on its way. It works once, for 24 hours.
          If it does not arrive within a few minutes, look in your spam folder, use an earlier one,
          or ask the operator of this service.
        </p>
      )}
      <p>
        <button type="button" className="link-button" onClick={onBack}>
          Back to sign-in
        </button>
      </p>
    </SignInLayout>
  );
}
