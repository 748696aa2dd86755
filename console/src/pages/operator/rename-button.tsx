import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { NameDialog } from './name-dialog.tsx';

interface RenameButtonProps {
  /** What is renamed: "partner". */
  readonly thing: string;
  readonly name: string;
  rename(name: string): Promise<unknown>;
}

export function RenameButton({ thing, name, rename }: RenameButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button aria-label={`Rename this ${thing}`} onClick={() => setOpen(true)}>
        Rename
      </Button>
      {isOpen && (
        <NameDialog
          title={`Rename this ${thing}`}
          hint="Shown everywhere, including to users who are asked to allow an app. The ID does not change."
          submitLabel="Rename"
          initial={name}
          onName={async (wanted) => {
            await rename(wanted);
            close();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
