import { Link, useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { useEvery } from '../../api/use-every.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { CopyableCode } from '../../parts/copyable-code.tsx';
import { countColumn, DataTable } from '../../parts/data-table.tsx';
import { count, duration } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Figure } from '../imports/figure.tsx';
import { kindWords, subjectOf } from '../imports/job-words.ts';
import { ProblemList } from '../imports/problem-list.tsx';
import { problemTitle } from '../imports/problem-words.ts';
import { jobsPath } from './job-filter.ts';
import './jobs.css';
import type { JobDetails } from './wire.ts';

const refreshSeconds = 10;
/** The API returns at most this many problems of a job. */
const mostProblems = 200;

/** A job of any partner. */
export function JobPage() {
  const api = useApi();
  const { jobId = '' } = useParams<{ jobId: string }>();
  const params = { path: { job_id: jobId } };
  const {
    data: job,
    problem,
    reload,
  } = useAnswer(() => answerOf(api.GET('/admin/v1/jobs/{job_id}', { params })), [jobId]);
  return (
    <Page
      title={job ? `${kindWords(job)} ${job.job_id}` : `Job ${jobId}`}
      subtitle={
        job && (
          <>
            <bdi>{subjectOf(job)}</bdi>, of{' '}
            <Link href={`/console/operator/partners/${job.partner_id}`}>
              <bdi>{job.partner_name}</bdi>
            </Link>
          </>
        )
      }
      actions={
        <>
          {job && (
            <ButtonLink href={jobsPath({ partner_id: String(job.partner_id) })}>
              Jobs of this partner
            </ButtonLink>
          )}
          <ButtonLink href={jobsPath()}>All jobs</ButtonLink>
        </>
      }
    >
      <ProblemNote problem={problem} />
      {job && <Summary job={job} />}
      {job && job.problem_count > 0 && (
        <Panel title="Problems">
          {job.problems.length < job.problem_count && (
            <p className="muted">
              {count(job.problems.length)} of {count(job.problem_count)} problems are shown: at most{' '}
              {count(mostProblems)}, and none of audience files that were cleared or loaded again.
            </p>
          )}
          <ProblemList problems={job.problems} />
        </Panel>
      )}
      {job && job.files.length > 0 && <Files files={job.files} />}
      {job && job.ended_at === null && <Refresh reload={reload} />}
    </Page>
  );
}

function Refresh({ reload }: { readonly reload: () => void }) {
  useEvery(refreshSeconds, reload);
  return null;
}

function Summary({ job }: { readonly job: JobDetails }) {
  return (
    <Panel title="Summary">
      <div className="standing">
        <StateBadge state={job.state} />
        {job.problem && (
          <p>
            {problemTitle(job.problem.code)} <code>{job.problem.code}</code>
          </p>
        )}
      </div>
      <dl className="figures">
        <Figure name="Rows">{count(job.total_rows)}</Figure>
        <Figure name="Rejected rows">{count(job.rejected_rows)}</Figure>
        {job.unique_devices !== null && (
          <Figure name="Unique devices">{count(job.unique_devices)}</Figure>
        )}
        <Figure name="Duration">
          {job.run_seconds === null ? '–' : duration(job.run_seconds)}
        </Figure>
        <Figure name="Waited">{duration(job.waited_seconds)}</Figure>
        <Figure name="Attempts">{count(job.attempts)}</Figure>
        <Figure name="Queued">
          <Moment at={job.created_at} isFocusable />
        </Figure>
        <Figure name="Ended">
          {job.ended_at === null ? '–' : <Moment at={job.ended_at} isFocusable />}
        </Figure>
      </dl>
      <dl className="figures">
        {job.path !== null && (
          <Figure name="Path">
            <bdi className="path">{job.path}</bdi>
          </Figure>
        )}
        <Figure name="Request">
          {job.request_id === null ? (
            <span className="muted">Not in the audit log</span>
          ) : (
            <CopyableCode text={job.request_id} what="the request ID" />
          )}
        </Figure>
      </dl>
    </Panel>
  );
}

function Files({ files }: Pick<JobDetails, 'files'>) {
  return (
    <Panel title="Files">
      <DataTable
        label="Table of files"
        className="card-rows"
        rows={files}
        keyOf={({ path }) => path}
        columns={[
          {
            label: 'File',
            className: 'wide',
            cell: ({ path }) => <bdi className="path">{path}</bdi>,
          },
          { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          countColumn('Rows', 'rows'),
          {
            label: 'Rejected',
            className: 'num',
            isCardLabelled: true,
            cell: ({ rejected_rows }) => (rejected_rows === null ? '–' : count(rejected_rows)),
          },
        ]}
      />
    </Panel>
  );
}
