import type { ReactNode } from 'react';
import type { Problem } from '../api/problem.ts';
import { Icon } from './icon.tsx';

export interface ProblemNoteProps {
  readonly problem: Problem | undefined;
  /** What the user can do, such as a button to try again. */
  readonly children?: ReactNode;
}

/** Shows a problem and announces it to screen readers. */
export function ProblemNote({ problem, children }: ProblemNoteProps) {
  if (problem === undefined) return null;
  return (
    <div className="problem-note" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{problem.title}.</strong> {problem.detail}
        </p>
        {problem.code === 'internal' && problem.requestId !== undefined && (
          <p className="muted">
            Request <code>{problem.requestId}</code>
          </p>
        )}
        {children}
      </div>
    </div>
  );
}
