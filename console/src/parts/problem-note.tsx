import type { ReactNode } from 'react';
import type { Problem } from '../api/problem.ts';
import { Icon } from './icon.tsx';
import { RequestLine } from './request-line.tsx';

export interface ProblemNoteProps {
  readonly problem: Problem | undefined;
  /** Whether fields show the problem, so only its request ID is missing. */
  readonly isAtField?: boolean;
  /** What the user can do, such as a button to try again. */
  readonly children?: ReactNode;
}

/** Shows a problem and announces it to screen readers. */
export function ProblemNote({ problem, isAtField = false, children }: ProblemNoteProps) {
  if (problem === undefined) return null;
  if (isAtField) return <RequestLine requestId={problem.requestId} />;
  return (
    <div className="problem-note" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{problem.title}.</strong> {problem.detail}
        </p>
        <RequestLine requestId={problem.requestId} />
        {children}
      </div>
    </div>
  );
}
