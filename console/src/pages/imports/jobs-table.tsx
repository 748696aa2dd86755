import { Link } from 'wouter';
import { useNow } from '../../parts/clock.tsx';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { duration } from '../../parts/format.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { JobOutcome } from './job-outcome.tsx';
import { kindWords, secondsRun, subjectOf } from './job-words.ts';
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
          label: 'Duration',
          className: 'num',
          isCardLabelled: true,
          cell: (job) => <Duration job={job} />,
        },
        timeColumn('Updated', 'updated_at'),
      ]}
    />
  );
}

function Duration({ job }: { readonly job: Job }) {
  const seconds = secondsRun(job, useNow());
  return seconds === null ? <span className="muted">–</span> : duration(seconds);
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
