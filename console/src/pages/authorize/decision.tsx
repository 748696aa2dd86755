import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useDecision } from './use-decision.ts';
import { useInFront } from './use-in-front.ts';

export interface DecisionProps {
  readonly uid: string;
  /** There is nothing to decide any more. */
  onGone(): void;
}

export function Decision({ uid, onGone }: DecisionProps) {
  const { decide, decided, problem } = useDecision(uid, onGone);
  // A page of somebody else's that steps aside between the clicks of a double click gains nothing.
  const isWaiting = !useInFront() || decided !== undefined;
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
        {decided === undefined ? '' : 'Going back to the app.'}
      </p>
    </>
  );
}
