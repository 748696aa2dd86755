import type { ReactNode } from 'react';
import type { Problem } from '../../api/problem.ts';
import type { Action } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { isOnlyAbout } from './field-problems.ts';

export interface DialogFormProps {
  readonly submitLabel: string;
  readonly submitting: Pick<Action<[]>, 'isRunning' | 'problem'>;
  /** The fields. */
  readonly children: ReactNode | ((problem: Problem | undefined) => ReactNode);
  /** The fields that show their own errors. */
  readonly fields?: readonly string[];
  onSubmit(): void;
  onClose(): void;
}

/** The form of a dialog, with its buttons to submit and to cancel. */
export function DialogForm(props: DialogFormProps) {
  const { submitLabel, submitting, children, fields = [], onSubmit, onClose } = props;
  const { isRunning, problem } = submitting;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div className="dialog-body">
        {typeof children === 'function' ? children(problem) : children}
      </div>
      <ProblemNote problem={problem} isAtField={isOnlyAbout(problem, fields)} />
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isRunning}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}
