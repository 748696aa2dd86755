import { type ReactNode, useId } from 'react';

export interface PanelProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function Panel({ title, actions, children }: PanelProps) {
  const headingId = useId();
  return (
    <section className="panel" aria-labelledby={title === undefined ? undefined : headingId}>
      {(title !== undefined || actions !== undefined) && (
        <header className="panel-head">
          {title !== undefined && <h2 id={headingId}>{title}</h2>}
          {actions !== undefined && <div className="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
