import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm, type DialogFormProps } from './dialog-form.tsx';
import { useFocus } from './use-focus.ts';

export interface IssueDialogProps<T> extends Pick<DialogFormProps, 'children' | 'fields'> {
  readonly title: string;
  readonly issueLabel: string;
  issue(): Promise<T>;
  /** Shows the result with its secret, which is never shown again. */
  shown(issued: T): ReactNode;
  onIssued(): void;
  onClose(): void;
}

/** Creates something that has a secret, and shows the secret once. */
export function IssueDialog<T>(props: IssueDialogProps<T>) {
  const { title, issueLabel, children, fields = [], issue, shown, onIssued, onClose } = props;
  const [issued, setIssued] = useState<{ readonly value: T }>();
  const issuing = useAction(async () => {
    setIssued({ value: await issue() });
    onIssued();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      {issued === undefined ? (
        <DialogForm
          submitLabel={issueLabel}
          submitting={issuing}
          fields={fields}
          onSubmit={() => void issuing.run()}
          onClose={onClose}
        >
          {children}
        </DialogForm>
      ) : (
        <Issued onClose={onClose}>{shown(issued.value)}</Issued>
      )}
    </Dialog>
  );
}

interface IssuedProps {
  readonly children: ReactNode;
  onClose(): void;
}

function Issued({ children, onClose }: IssuedProps) {
  // The button that had the focus is gone, so move the focus to the result.
  const body = useFocus<HTMLDivElement>();
  return (
    <>
      <div className="dialog-body operator-issued" tabIndex={-1} ref={body}>
        {children}
      </div>
      <div className="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}
