import { Link } from 'wouter';
import { type Column, DataTable, timeColumn } from '../../parts/data-table.tsx';
import { count, duration } from '../../parts/format.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { kindWords, subjectOf } from '../imports/job-words.ts';
import { problemTitle } from '../imports/problem-words.ts';
import { jobPath } from './job-filter.ts';
import type { Job } from './wire.ts';
import './jobs.css';

export interface JobTableProps {
  readonly label: string;
  readonly jobs: readonly Job[];
  /** Whether the jobs are of several partners. */
  readonly isNamed?: boolean;
}

export function JobTable({ label, jobs, isNamed = false }: JobTableProps) {
  return (
    <DataTable
      label={label}
      className="card-rows admin-jobs"
      rows={jobs}
      keyOf={({ job_id }) => job_id}
      columns={[
        { label: 'Job', className: 'wide', cell: (job) => <Subject job={job} /> },
        ...(isNamed ? [partnerColumn] : []),
        { label: 'State', className: 'wide', cell: (job) => <Outcome job={job} /> },
        figureColumn('Rows', ({ total_rows }) => count(total_rows)),
        figureColumn('Rejected', ({ rejected_rows }) => count(rejected_rows)),
        figureColumn('Duration', ({ run_seconds }) =>
          run_seconds === null ? '–' : duration(run_seconds),
        ),
        timeColumn('Queued', 'created_at'),
      ]}
    />
  );
}

const partnerColumn: Column<Job> = {
  label: 'Partner',
  className: 'admin-jobs-partner wide',
  cell: ({ partner_id, partner_name }) => (
    <Link href={`/console/operator/partners/${partner_id}`}>
      <bdi>{partner_name}</bdi>
    </Link>
  ),
};

function figureColumn(label: string, figure: (job: Job) => string): Column<Job> {
  return { label, className: 'num', isCardLabelled: true, cell: figure };
}

function Subject({ job }: { readonly job: Job }) {
  return (
    <>
      <Link className="path" href={jobPath(job.job_id)}>
        <bdi>{subjectOf(job)}</bdi>
      </Link>
      <span className="admin-jobs-aside">
        {kindWords(job)} {job.job_id}
      </span>
    </>
  );
}

function Outcome({ job }: { readonly job: Job }) {
  return (
    <>
      <StateBadge state={job.state} />
      {job.problem && <span className="admin-jobs-aside">{problemTitle(job.problem.code)}</span>}
    </>
  );
}
