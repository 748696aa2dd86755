import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../../api/session.tsx';
import { useLive } from '../../api/use-live.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { tributaryCommands } from './commands.ts';
import type { Job } from './jobs.ts';
import { JobsTable } from './jobs-table.tsx';
import { LiveMark } from './live-mark.tsx';
import { NewImportDialog } from './new-import-dialog.tsx';
import './imports.css';

export function ImportsPage() {
  const { data, connection, problem } = useLive<{ readonly jobs: readonly Job[] }>(
    '/v1/console/jobs',
    'jobs',
  );
  const [, navigate] = useLocation();
  const [isDialogOpen, setDialogOpen] = useState(false);
  const jobs = data?.jobs;

  return (
    <Page
      title="Imports"
      subtitle="Your last 100 jobs. They run one at a time, in the order you submitted them."
      actions={
        <>
          <ButtonLink href="/console/upload">Upload files</ButtonLink>
          <Button kind="primary" onClick={() => setDialogOpen(true)}>
            New import
          </Button>
        </>
      }
    >
      <ProblemNote problem={problem} />
      {jobs?.length === 0 && (
        <Panel>
          <FirstSteps />
        </Panel>
      )}
      {jobs !== undefined && jobs.length > 0 && (
        <Panel title="Jobs" actions={<LiveMark connection={connection} />}>
          <JobsTable jobs={jobs} />
        </Panel>
      )}
      {isDialogOpen && <NewImportDialog onQueued={navigate} onClose={() => setDialogOpen(false)} />}
    </Page>
  );
}

function FirstSteps() {
  const { name, prefix } = useSession();
  const { origin } = window.location;
  return (
    <EmptyState title="No imports yet">
      <p>
        <Link href="/console/upload">Upload a file</Link> in this browser, or with any S3 client to{' '}
        <code>{prefix}</code>, then import it by its path. On the command line:
      </p>
      <CopyCommand
        command={tributaryCommands(
          origin,
          ['upload', name, 'devices.csv'],
          ['import', 'devices.csv', '--watch'],
        )}
      />
    </EmptyState>
  );
}
