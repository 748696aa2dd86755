import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../../api/session.tsx';
import { useLive } from '../../api/use-live.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { count } from '../../parts/format.ts';
import { ListPages, usePages } from '../../parts/list-pages.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useQuery } from '../../parts/use-query.ts';
import { useSettled } from '../../parts/use-settled.ts';
import { tributaryCommands } from './commands.ts';
import { JobFilterLine } from './job-filter-line.tsx';
import type { Job } from './jobs.ts';
import { JobsTable } from './jobs-table.tsx';
import { LiveMark } from './live-mark.tsx';
import { NewImportDialog } from './new-import-dialog.tsx';
import './imports.css';

const pageSize = 100;
const typingPauseMs = 250;
/** As in the limits of the service. */
const searchedJobs = 5_000;

interface JobPage {
  readonly jobs: readonly Job[];
  readonly next: number | null;
}

export function ImportsPage() {
  const [filter, setFilter] = useQuery('search', 'state', 'kind');
  const query = jobQuery({ ...filter, search: useSettled(filter.search.trim(), typingPauseMs) });
  const pages = usePages<number>(query);
  const { data, connection, problem } = useLive<JobPage>(listPath(query, pages.after), 'jobs');
  const [, navigate] = useLocation();
  const [isDialogOpen, setDialogOpen] = useState(false);
  const { jobs, next = null } = data ?? {};
  const isFiltered = query !== '' || filter.search !== '';
  const hasNone = jobs?.length === 0 && !isFiltered && pages.isFirst;

  return (
    <Page
      title="Imports"
      subtitle="Newest first. They run one at a time, in the order you submitted them."
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
      {hasNone && (
        <Panel>
          <FirstSteps />
        </Panel>
      )}
      {jobs !== undefined && !hasNone && (
        <Panel>
          <JobFilterLine
            filter={filter}
            onChange={setFilter}
            mark={<LiveMark connection={connection} />}
          />
          {jobs.length === 0 ? <EmptyState title="No matching jobs" /> : <JobsTable jobs={jobs} />}
          {next !== null && jobs.length < pageSize && (
            <p className="muted">
              A page searches {count(searchedJobs)} jobs. Choose Older to search those before them.
            </p>
          )}
          <ListPages pages={pages} next={next ?? undefined} backLabel="Newer" nextLabel="Older" />
        </Panel>
      )}
      {isDialogOpen && <NewImportDialog onQueued={navigate} onClose={() => setDialogOpen(false)} />}
    </Page>
  );
}

/** The filter as a query; empty if every job matches. */
function jobQuery(filter: Readonly<Record<string, string>>): string {
  const set = Object.entries(filter).filter(([, value]) => value !== '');
  return new URLSearchParams(set).toString();
}

function listPath(query: string, after: number | undefined): string {
  const page = `limit=${pageSize}${after === undefined ? '' : `&after=${after}`}`;
  return `/v1/console/jobs?${page}${query === '' ? '' : `&${query}`}`;
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
