import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useDecision } from './use-decision.ts';
import { useFocusSettled } from './use-focus-settled.ts';

export interface DecisionProps {
  readonly uid: string;
  /** The request is no longer open. */
  onGone(): void;
}

export function Decision({ uid, onGone }: DecisionProps) {
  const { decide, decided, problem } = useDecision(uid, onGone);
  // Ignores clicks right after the window gains the focus: another page could have lured a double
  // click here by closing its own window after the first click.
  const isWaiting = !useFocusSettled() || decided !== undefined;
  const choose = (allow: boolean) => () => {
    if (!isWaiting) void decide(allow);
  };
  return (
    <>
      <ProblemNote problem={problem} />
      <div className="authorize-actions">
        <Button aria-disabled={isWaiting} onClick={choose(false)}>
          Do not allow
        </Button>
        <Button kind="primary" aria-disabled={isWaiting} onClick={choose(true)}>
          Allow
        </Button>
      </div>
      <p className="visually-hidden" role="status">
        {decided === undefined ? '' : 'Returning to the app.'}
      </p>
    </>
  );
}
