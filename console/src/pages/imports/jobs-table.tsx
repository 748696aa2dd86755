import { Link } from 'wouter';
import { Moment } from '../../parts/moment.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { JobOutcome } from './job-outcome.tsx';
import { kindWords, subjectOf } from './job-words.ts';
import { type Job, jobAddress } from './jobs.ts';

/** The jobs of a partner. Columns and rows have fixed sizes: what is live must not move. */
export function JobsTable({ jobs }: { readonly jobs: readonly Job[] }) {
  const byId = new Map(jobs.map((job) => [job.job_id, job]));
  return (
    <div className="data-scroll">
      <table className="data live-table card-rows jobs">
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col">Progress or outcome</th>
            <th scope="col">Updated</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.job_id}>
              <th scope="row" className="job-subject">
                <Link className="job-line" href={jobAddress(job)} title={subjectOf(job)}>
                  <bdi>{subjectOf(job)}</bdi>
                </Link>
                <span
                  className="job-line muted"
                  title={job.audience ? (job.path ?? '') : undefined}
                >
                  {kindWords(job)} {job.job_id}
                  {job.audience === null ? null : (
                    <>
                      {', from '}
                      <bdi>{job.path}</bdi>
                    </>
                  )}
                </span>
              </th>
              <td className="job-state">
                <StateBadge state={job.state} />
              </td>
              <td className="job-outcome wide">
                <JobOutcome job={job} ahead={aheadOf(job, byId)} />
              </td>
              <td className="job-updated wide">
                <Moment at={job.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function aheadOf({ progress }: Job, byId: ReadonlyMap<number, Job>): Job | undefined {
  return progress.waiting_for === null ? undefined : byId.get(progress.waiting_for);
}
