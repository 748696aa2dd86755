import type { ReactNode } from 'react';
import { useAction } from '../api/use-action.ts';
import { Button, type ButtonKind } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';

export interface ConfirmDialogProps {
  readonly title: string;
  /** What happens and what is lost. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly kind?: ButtonKind;
  /** The dialog closes if this succeeds, and shows the problem if it fails. */
  onConfirm(): Promise<unknown> | undefined;
  onClose(): void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirmLabel, kind = 'danger', onConfirm, onClose } = props;
  const confirm = useAction(onConfirm);
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-body">{children}</div>
      <ProblemNote problem={confirm.problem} />
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind={kind}
          disabled={confirm.isRunning}
          onClick={async () => {
            if (await confirm.run()) onClose();
          }}
        >
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
