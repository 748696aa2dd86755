import { Link } from 'wouter';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { JobDuration } from './job-duration.tsx';
import { JobOutcome } from './job-outcome.tsx';
import { kindWords, subjectOf } from './job-words.ts';
import { type Job, jobAddress } from './jobs.ts';

/** The jobs of a partner. Columns and rows have fixed sizes, so live updates move nothing. */
export function JobsTable({ jobs }: { readonly jobs: readonly Job[] }) {
  const byId = new Map(jobs.map((job) => [job.job_id, job]));
  return (
    <DataTable
      label="Table of jobs"
      className="live-table card-rows jobs"
      rows={jobs}
      keyOf={({ job_id }) => job_id}
      columns={[
        { label: 'Job', cell: (job) => <JobSubject job={job} /> },
        { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        {
          label: 'Progress or outcome',
          className: 'job-outcome wide',
          cell: (job) => <JobOutcome job={job} ahead={aheadOf(job, byId)} />,
        },
        {
          // Not aligned to the right like other figures: its text would move with every digit.
          label: 'Duration',
          isCardLabelled: true,
          cell: (job) => <JobDuration job={job} />,
        },
        timeColumn('Updated', 'updated_at'),
      ]}
    />
  );
}

function JobSubject({ job }: { readonly job: Job }) {
  return (
    <>
      <Link className="job-line" href={jobAddress(job)} title={subjectOf(job)}>
        <bdi>{subjectOf(job)}</bdi>
      </Link>
      <span className="job-line muted" title={job.audience ? (job.path ?? '') : undefined}>
        {kindWords(job)} {job.job_id}
        {job.audience !== null && (
          <>
            {', from '}
            <bdi>{job.path}</bdi>
          </>
        )}
      </span>
    </>
  );
}

function aheadOf({ progress }: Job, byId: ReadonlyMap<number, Job>): Job | undefined {
  return progress.waiting_for === null ? undefined : byId.get(progress.waiting_for);
}
