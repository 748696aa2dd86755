import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './icon.tsx';

export interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  onClose(): void;
}

/** Open for as long as it is rendered. The browser keeps the focus in it and gives it back. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const headingId = useId();

  // Not a passive effect: to give the focus back, it must be closed before it leaves the document.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
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
        // In development React runs effects twice: then it has been opened again meanwhile.
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
