import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: unknown;
}

/** A page that breaks, or that a newer service no longer has, leaves the header standing. */
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
        <h1>This page broke</h1>
        <p>{error instanceof Error ? error.message : String(error)}</p>
        <p>Nothing that runs on the service is affected.</p>
        <p>
          <Button kind="primary" onClick={() => location.reload()}>
            Load it again
          </Button>
        </p>
      </div>
    );
  }
}
