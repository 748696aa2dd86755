import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { NameDialog } from './name-dialog.tsx';

export interface NamedListPageProps<T> {
  readonly title: string;
  readonly subtitle: string;
  /** What one entry is called: "partner". */
  readonly thing: string;
  /** The hint of the name field. */
  readonly hint: string;
  /** Creates the first entry without the console. */
  readonly command: string;
  load(): Promise<T[]>;
  /** Returns the address of the new entry. */
  create(name: string): Promise<string>;
  children(list: readonly T[]): ReactNode;
}

/** A list of entries that are created by name. */
export function NamedListPage<T>(props: NamedListPageProps<T>) {
  const [, navigate] = useLocation();
  const [isNaming, setNaming] = useState(false);
  const { data, problem } = useAnswer(props.load, []);
  return (
    <Page
      title={props.title}
      subtitle={props.subtitle}
      actions={
        <Button kind="primary" onClick={() => setNaming(true)}>
          New {props.thing}
        </Button>
      }
    >
      <ProblemNote problem={problem} />
      {data && (
        <Panel>
          {data.length === 0 ? (
            <EmptyState title={`No ${props.thing}s yet`}>
              <p>Create the first one here, or on the command line:</p>
              <CopyCommand command={props.command} />
            </EmptyState>
          ) : (
            props.children(data)
          )}
        </Panel>
      )}
      {isNaming && (
        <NameDialog
          title={`New ${props.thing}`}
          hint={props.hint}
          submitLabel="Create"
          onName={async (name) => navigate(await props.create(name))}
          onClose={() => setNaming(false)}
        />
      )}
    </Page>
  );
}
