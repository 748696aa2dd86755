import { useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';

export interface AccessPanelProps {
  /** "partner" or "customer". */
  readonly thing: string;
  readonly name: string;
  readonly disabledAt: string | null;
  /** What stops while it is disabled. */
  readonly stops: string;
  /** What it has, such as "2 API keys". */
  holdings(): Promise<string[]>;
  setDisabled(disabled: boolean): Promise<unknown>;
  remove(): Promise<unknown>;
}

type Question = 'disable' | 'remove';

/** Whether a partner or customer may use the service, and its removal. */
export function AccessPanel(props: AccessPanelProps) {
  const { thing, name, disabledAt, setDisabled } = props;
  const [question, setQuestion] = useState<Question>();
  const enabling = useAction(() => setDisabled(false));
  return (
    <Panel
      title="Access"
      actions={
        <>
          {disabledAt === null ? (
            <Button onClick={() => setQuestion('disable')}>Disable</Button>
          ) : (
            <Button disabled={enabling.isRunning} onClick={() => void enabling.run()}>
              Enable
            </Button>
          )}
          <Button kind="danger" onClick={() => setQuestion('remove')}>
            Remove
          </Button>
        </>
      }
    >
      <ProblemNote problem={enabling.problem} />
      <p>
        {disabledAt === null ? (
          `The ${thing} can use the service.`
        ) : (
          <>
            <StateBadge state="cancelled" word="Disabled" /> since{' '}
            <Moment at={disabledAt} isFocusable />. Its data stays. Its requests are refused.
          </>
        )}
      </p>
      {question === 'disable' && (
        <ConfirmDialog
          title={`Disable ${name}?`}
          confirmLabel="Disable"
          onConfirm={() => setDisabled(true)}
          onClose={() => setQuestion(undefined)}
        >
          <p>{props.stops}</p>
          <Holdings {...props} />
          <p>You can enable it again. Cancelled jobs must then be queued again.</p>
        </ConfirmDialog>
      )}
      {question === 'remove' && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          confirmLabel="Remove for good"
          onConfirm={() => props.remove()}
          onClose={() => setQuestion(undefined)}
        >
          <p>Deletes the {thing} with everything it has. This cannot be undone.</p>
          <Holdings {...props} />
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function Holdings({ thing, holdings }: AccessPanelProps) {
  const { data, problem } = useAnswer(holdings, []);
  if (!data) return <ProblemNote problem={problem} />;
  if (data.length === 0) return <p>The {thing} has nothing yet.</p>;
  return (
    <>
      <p>The {thing} has:</p>
      <ul className="operator-holdings">
        {data.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </>
  );
}
