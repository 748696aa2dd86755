import { Link } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { bytes, count, counted } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { jobPath, jobsPath } from '../jobs/job-filter.ts';
import { JobTable } from '../jobs/job-table.tsx';
import { nearQuota, type PartnerTrouble } from './partner-trouble.ts';

const recentDays = 7;
const shownJobs = 10;

/** What went wrong lately: failed jobs, rejected rows, waiting jobs and reports, quotas. */
export function PartnerTroublePanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const params = { path: { partner_id: partnerId } };
  const trouble = useAnswer(
    () => answerOf(api.GET('/admin/v1/partners/{partner_id}/trouble', { params })),
    [partnerId],
  );
  const jobs = useAnswer(() => {
    const since = new Date(Date.now() - recentDays * 86_400_000).toISOString();
    const query = { partner_id: Number(partnerId), since, order: 'failures', limit: 100 } as const;
    return answerOf(api.GET('/admin/v1/jobs', { params: { query } }));
  }, [partnerId]);
  const bad = jobs.data?.filter((job) => job.state === 'failed' || job.rejected_rows > 0);
  const held = trouble.data && heldUp(trouble.data);
  return (
    <Panel
      title="Recent problems"
      actions={
        <ButtonLink
          aria-label="All jobs of this partner"
          href={jobsPath({ partner_id: partnerId })}
        >
          All jobs
        </ButtonLink>
      }
    >
      <ProblemNote problem={trouble.problem ?? jobs.problem} />
      {bad?.length === 0 && held?.length === 0 && (
        <p className="muted">
          None. In the last {recentDays} days no job failed and no row was rejected. No job waits
          for a retry, no report is on hold, and every quota is less than 90% used.
        </p>
      )}
      {held && held.length > 0 && (
        <ul className="operator-held">
          {held.map((each) => (
            <li key={each.key}>{each.text}</li>
          ))}
        </ul>
      )}
      {bad && bad.length > 0 && (
        <JobTable label="Table of recent problems" jobs={bad.slice(0, shownJobs)} />
      )}
      {bad && bad.length > shownJobs && (
        <p className="operator-rest">
          <Link href={jobsPath({ partner_id: partnerId })}>
            {count(bad.length - shownJobs)} more in the list of jobs
          </Link>
        </p>
      )}
    </Panel>
  );
}

function heldUp({ retry, held_reports, quotas }: PartnerTrouble) {
  return [
    ...(retry === null
      ? []
      : [
          {
            key: 'retry',
            text: (
              <>
                <Link href={jobPath(retry.job_id)}>Job {retry.job_id}</Link> waits for its next
                attempt, <Moment at={retry.retry_at} isFocusable />, after{' '}
                {counted(retry.attempts, 'attempt', 'attempts')}
                {retry.storage_failures > 0 &&
                  ` (${count(retry.storage_failures)} failed because the storage was unavailable)`}
                . Later jobs wait for it.
              </>
            ),
          },
        ]),
    ...(held_reports === 0
      ? []
      : [
          {
            key: 'reports',
            text: `${counted(held_reports, 'report is', 'reports are')} not refreshed until midnight (UTC): the partner has reached its daily limit of reports on changed audiences.`,
          },
        ]),
    ...quotas.filter(nearQuota).map(({ what, used, quota }) => {
      const shown = what === 'storage_bytes' ? bytes : count;
      return { key: what, text: `${quotaWords[what]}: ${shown(used)} of ${shown(quota)} used.` };
    }),
  ];
}

const quotaWords = {
  requests: 'Requests this month',
  rows: 'Rows this month',
  devices: 'Devices',
  storage_bytes: 'Storage',
};
