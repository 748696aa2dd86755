import { type ReactNode, useState } from 'react';
import type { Problem } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type Issued, IssuedTable } from './issued-table.tsx';

export interface IssuedPanelProps {
  readonly title: string;
  /** The title within a sentence. */
  readonly things: string;
  /** What one of them is called, in buttons: "key". */
  readonly thing: string;
  readonly isPlural?: boolean;
  readonly nameHeading: string;
  readonly isCode?: boolean;
  /** Names one of them in its button: "API key nightly". */
  named(issued: Issued): string;
  /** Undefined until it is loaded. */
  readonly issued: readonly Issued[] | undefined;
  readonly problem: Problem | undefined;
  /** What to do if there is none yet, and the command that does it. */
  readonly whenEmpty: string;
  readonly command: string;
  /** What revoking does. */
  warningFor(issued: Issued): ReactNode;
  revoke(issued: Issued): Promise<void>;
  /** The dialog that creates a new one. */
  newDialog(close: () => void): ReactNode;
}

/** The keys, credentials or tokens of a partner: listed, created and revoked. */
export function IssuedPanel(props: IssuedPanelProps) {
  const { title, thing, isPlural = false, issued } = props;
  const [open, setOpen] = useState<'new' | Issued>();
  const close = () => setOpen(undefined);
  return (
    <Panel title={title} actions={<Button onClick={() => setOpen('new')}>New {thing}</Button>}>
      <ProblemNote problem={props.problem} />
      {issued?.length === 0 && (
        <EmptyState title={`No ${isPlural ? thing : `${thing}s`} yet`}>
          <p>{props.whenEmpty}</p>
          <CopyCommand command={props.command} />
        </EmptyState>
      )}
      {issued && issued.length > 0 && (
        <IssuedTable
          things={props.things}
          nameHeading={props.nameHeading}
          isCode={props.isCode ?? false}
          named={props.named}
          issued={issued}
          onRevoke={setOpen}
        />
      )}
      {open === 'new' && props.newDialog(close)}
      {open !== undefined && open !== 'new' && (
        <ConfirmDialog
          title={`Revoke ${isPlural ? 'these' : 'this'} ${thing}?`}
          confirmLabel={`Revoke the ${thing}`}
          onConfirm={() => props.revoke(open)}
          onClose={close}
        >
          <p>{props.warningFor(open)} This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
