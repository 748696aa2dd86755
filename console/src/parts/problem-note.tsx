import type { ReactNode } from 'react';
import type { Problem } from '../api/problem.ts';
import { CopyableCode } from './copyable-code.tsx';
import { Icon } from './icon.tsx';

export interface ProblemNoteProps {
  readonly problem: Problem | undefined;
  /** What the user can do, such as a button to try again. */
  readonly children?: ReactNode;
}

/** Shows a problem and announces it to screen readers. The log of the service has the request ID. */
export function ProblemNote({ problem, children }: ProblemNoteProps) {
  if (problem === undefined) return null;
  return (
    <div className="problem-note" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{problem.title}.</strong> {problem.detail}
        </p>
        {problem.requestId !== undefined && (
          <p className="problem-request">
            Request <CopyableCode text={problem.requestId} what="the request ID" />
          </p>
        )}
        {children}
      </div>
    </div>
  );
}
