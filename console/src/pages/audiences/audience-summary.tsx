import { useSession } from '../../api/session.tsx';
import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Figure } from '../imports/figure.tsx';
import { JobDuration } from '../imports/job-duration.tsx';
import { RunningLines, TwoLines, WaitingLines } from '../imports/job-outcome.tsx';
import { queuePosition } from '../imports/job-words.ts';
import type { Job, Progress } from '../imports/jobs.ts';
import { stateOf } from '../imports/status.ts';
import { useJobAhead } from '../imports/use-import.ts';
import type { AudienceDetails } from './audience.ts';
import { stateWord, statusSentence } from './audience-words.ts';
import { MatchRate } from './audiences-table.tsx';

interface AudienceSummaryProps {
  readonly audience: AudienceDetails;
  /** Null if it was not cleared, or files were appended since. */
  readonly clearedAt: string | null | undefined;
  /** Only for the partner. */
  readonly latestLoad: Job | undefined;
  /** Only while a load waits or runs. */
  readonly progress: Progress | undefined;
}

/** The status and the counts of an audience. */
export function AudienceSummary(props: AudienceSummaryProps) {
  const { audience, clearedAt, latestLoad, progress } = props;
  const status = { ...audience, cleared_at: clearedAt };
  return (
    <Panel>
      <div className="standing">
        <StateBadge state={stateOf(audience)} word={stateWord(status)} />
        <div className="standing-lines">
          {progress === undefined ? (
            <p>{statusSentence(status)}</p>
          ) : (
            <LoadLines progress={progress} isWaiting={audience.status === 0} />
          )}
        </div>
      </div>
      <dl className="figures">
        <Figure name="Uploaded">{count(audience.uploaded_devices)}</Figure>
        <Figure name="Unique devices">{count(audience.unique_devices)}</Figure>
        <Figure name="Matched">{count(audience.matched_devices)}</Figure>
        <Figure name="Match rate">
          <MatchRate audience={audience} />
        </Figure>
        {latestLoad !== undefined && (
          <Figure name="Last load took">
            <JobDuration job={latestLoad} />
          </Figure>
        )}
        <Figure name="Created">
          <Moment at={audience.created_at} />
        </Figure>
        <Figure name="Updated">
          <Moment at={audience.updated_at} />
        </Figure>
      </dl>
    </Panel>
  );
}

interface LoadLinesProps {
  readonly progress: Progress;
  readonly isWaiting: boolean;
}

/** A customer does not see which other jobs the partner has queued. */
function LoadLines({ progress, isWaiting }: LoadLinesProps) {
  const { kind } = useSession();
  const ahead = useJobAhead(kind === 'partner' ? progress.waiting_for : null);
  if (!isWaiting) return <RunningLines progress={progress} />;
  return kind === 'partner' ? (
    <WaitingLines progress={progress} ahead={ahead} />
  ) : (
    <TwoLines first={queuePosition(progress)} />
  );
}
