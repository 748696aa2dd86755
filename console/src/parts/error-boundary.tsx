import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: unknown;
}

/** Keeps the header if a page crashes, or if its code is gone after an upgrade of the service. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="empty" role="alert">
        <h1>This page crashed</h1>
        <p>{error instanceof Error ? error.message : String(error)}</p>
        <p>Jobs on the service are not affected.</p>
        <p>
          <Button kind="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        </p>
      </div>
    );
  }
}
