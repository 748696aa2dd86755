import { type SubmitEvent, useRef, useState } from 'react';
import { answerOf, fieldProblem } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useInvalidFocus } from '../../parts/use-invalid-focus.ts';
import { NewPasswordFields } from './new-password-fields.tsx';
import { type PasswordErrors, passwordErrors } from './password-errors.ts';

/** Changes the user's own password, which ends all their other sessions. */
export function PasswordPanel() {
  const api = useApi();
  const { name } = useSession();
  const [faults, setFaults] = useState<PasswordErrors>({});
  const [isChanged, setChanged] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const change = useAction((body: { current_password: string; new_password: string }) =>
    answerOf(api.PUT('/v1/console/password', { body })),
  );
  const isWrong = fieldProblem(change.problem, 'current_password') !== undefined;
  useInvalidFocus(form, isWrong ? change.problem : faults);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const current = String(typed.get('current') ?? '');
    const wanted = String(typed.get('new') ?? '');
    const found = passwordErrors(current, wanted, String(typed.get('again') ?? ''));
    setFaults(found);
    setChanged(false);
    change.forget();
    if (Object.keys(found).length > 0) return;
    if (!(await change.run({ current_password: current, new_password: wanted }))) return;
    form.current?.reset();
    setChanged(true);
  }

  return (
    <Panel title="Password">
      <form ref={form} className="form" noValidate onSubmit={submit}>
        <input type="text" name="username" autoComplete="username" value={name} hidden readOnly />
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          maxLength={256}
          required
          problem={isWrong ? 'Incorrect password.' : faults.current}
        />
        <NewPasswordFields faults={faults} />
        <ProblemNote problem={change.problem} isAtField={isWrong} />
        <div className="form-actions">
          <Button kind="primary" type="submit" disabled={change.isRunning}>
            Change password
          </Button>
          <p role="status">
            {isChanged &&
              'Password changed. You are signed out everywhere else; connected apps stay connected.'}
          </p>
        </div>
      </form>
    </Panel>
  );
}
