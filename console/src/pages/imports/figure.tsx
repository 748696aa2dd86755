import type { ReactNode } from 'react';

interface FigureProps {
  readonly name: string;
  readonly children: ReactNode;
}

/** One figure of a summary. */
export function Figure({ name, children }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
