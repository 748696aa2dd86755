import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './icon.tsx';

export interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  onClose(): void;
}

/**
 * Open while it is rendered. The first field gets the focus; without one, the first button of the
 * actions, which cancels. The browser traps the focus and restores it afterwards.
 */
export function Dialog({ title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const headingId = useId();

  // A layout effect, because the dialog must close before it leaves the document to restore focus.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    if (dialog) initialFocus(dialog)?.focus();
    return () => dialog?.close();
  }, []);

  return (
    <dialog
      ref={element}
      aria-labelledby={headingId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={({ currentTarget }) => {
        // React runs effects twice in development, so the dialog may be open again by now.
        if (!currentTarget.open) onClose();
      }}
    >
      <header className="dialog-head">
        <h2 id={headingId}>{title}</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** By itself the browser would focus the button that closes the dialog, which comes first. */
function initialFocus(dialog: HTMLDialogElement): HTMLElement | undefined {
  return [':is(input, select, textarea):enabled', '.dialog-actions button:enabled']
    .flatMap((wanted) => [...dialog.querySelectorAll<HTMLElement>(wanted)])
    .find((each) => each.checkVisibility());
}
