import { type SubmitEvent, useRef, useState } from 'react';
import { createSignInApi } from '../../api/client.ts';
import { answerOf, fieldProblem, type Problem, problemOf } from '../../api/problem.ts';
import type { Session } from '../../api/session.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import type { Kind } from '../../parts/navigation.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useInvalidFocus } from '../../parts/use-invalid-focus.ts';
import { type Credential, signInKinds } from './credentials.ts';
import { useCountdown } from './use-countdown.ts';
import { waitInWords } from './wait-in-words.ts';

export interface SignInFormProps {
  readonly kind: Kind;
  onSignedIn(session: Session): void;
}

type Faults = Partial<Record<Credential['name'], string>>;

export function SignInForm({ kind, onSignedIn }: SignInFormProps) {
  const { credentials, hint, label } = signInKinds[kind];
  const form = useRef<HTMLFormElement>(null);
  const [isTrying, setTrying] = useState(false);
  const [faults, setFaults] = useState<Faults>({});
  const [problem, setProblem] = useState<Problem>();
  const wait = useCountdown();
  const mustWait = wait.secondsLeft !== undefined && wait.secondsLeft > 0;
  useInvalidFocus(form, faults);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isTrying || mustWait) return;
    const typed = typedInto(event.currentTarget, credentials);
    const missing = credentials.filter(({ name }) => typed[name] === '');
    if (missing.length > 0) {
      setProblem(undefined);
      setFaults(
        Object.fromEntries(missing.map((credential) => [credential.name, credential.missing])),
      );
      return;
    }
    setTrying(true);
    setProblem(undefined);
    setFaults({});
    wait.forget();
    try {
      onSignedIn(await answerOf(createSignInApi().POST('/v1/console/session', { body: typed })));
    } catch (thrown) {
      showRefusal(problemOf(thrown));
    } finally {
      setTrying(false);
    }
  }

  function showRefusal(refusal: Problem): void {
    const secret = credentials[credentials.length - 1] ?? credentials[0];
    setProblem(refusal);
    if (refusal.status === 401) {
      setFaults({ [secret.name]: refusal.detail });
    } else if (refusal.status === 400) {
      const named = credentials.filter(({ name }) => fieldProblem(refusal, name) !== undefined);
      setFaults(Object.fromEntries(named.map(({ name, label }) => [name, `Invalid ${label}.`])));
    } else if (refusal.status === 429 && refusal.retryAfterSeconds !== undefined) {
      wait.start(refusal.retryAfterSeconds);
    }
  }

  return (
    <form ref={form} className="form" noValidate onSubmit={submit}>
      <p className="muted">{hint}</p>
      {/* Lets password managers distinguish the kinds that sign in without a user name. */}
      {kind !== 'customer' && (
        <input type="text" name="username" autoComplete="username" value={label} hidden readOnly />
      )}
      {credentials.map((credential) => (
        <TextField
          key={credential.name}
          name={credential.name}
          label={credential.label}
          type={credential.type}
          autoComplete={credential.autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={256}
          required
          problem={faults[credential.name]}
        />
      ))}
      {wait.secondsLeft !== undefined && <WaitNote secondsLeft={wait.secondsLeft} />}
      <ProblemNote
        problem={problem}
        isAtField={wait.secondsLeft !== undefined || Object.keys(faults).length > 0}
      />
      <Button kind="primary" type="submit" aria-disabled={isTrying || mustWait}>
        {isTrying ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}

/** Announced when it appears and when the wait is over, but not every second. */
function WaitNote({ secondsLeft }: { readonly secondsLeft: number }) {
  return (
    <div className="wait-note" role="status">
      {secondsLeft === 0 ? (
        <p>You can try again now.</p>
      ) : (
        <p>
          Too many failed attempts.
          <span role="timer" aria-live="off">
            {` You can try again in ${waitInWords(secondsLeft)}.`}
          </span>
        </p>
      )}
    </div>
  );
}

function typedInto(form: HTMLFormElement, credentials: readonly Credential[]) {
  const entries = new FormData(form);
  return Object.fromEntries(
    credentials.map(({ name }) => {
      const text = String(entries.get(name) ?? '');
      // Pasted keys and addresses often have spaces around them. A password may really end in one.
      return [name, name !== 'password' ? text.trim() : text];
    }),
  ) as Partial<Record<Credential['name'], string>>;
}
