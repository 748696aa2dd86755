import type { ReactNode } from 'react';
import { usePageHeading } from './page-heading.tsx';

export interface PageProps {
  readonly title: string;
  readonly subtitle?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A page below the header: its only h1, its actions and its panels. */
export function Page({ title, subtitle, actions, children }: PageProps) {
  const heading = usePageHeading(title);
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {subtitle !== undefined && <p className="page-subtitle">{subtitle}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
