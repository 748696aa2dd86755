import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Figure } from './figure.tsx';
import { JobDuration } from './job-duration.tsx';
import { RunningLines, WaitingLines } from './job-outcome.tsx';
import type { ImportLog, Job, Progress } from './jobs.ts';
import { isOpen, stateOf } from './status.ts';
import { useJobAhead } from './use-import.ts';

interface ImportSummaryProps {
  readonly log: ImportLog;
  readonly job: Job | undefined;
  /** Only until the import ends. */
  readonly progress: Progress | undefined;
}

/** The status and the figures of an import. */
export function ImportSummary({ log, job, progress }: ImportSummaryProps) {
  const ahead = useJobAhead(progress?.waiting_for ?? null);
  const isErasure = log.log_type === 3;
  const isDeletion = log.keys !== null || isErasure;
  return (
    <Panel>
      <div className="standing">
        <StateBadge state={stateOf(log)} />
        <div className="standing-lines">
          {progress && log.status === 0 && <WaitingLines progress={progress} ahead={ahead} />}
          {progress && log.status === 1 && <RunningLines progress={progress} />}
          {!isOpen(log) && <p>{outcomeWords(log)}</p>}
        </div>
      </div>
      <dl className="figures">
        <Figure name={isDeletion ? removedFrom(isErasure) : 'Rows read'}>
          {count(progress?.rows_read ?? Number(log.total_rows))}
        </Figure>
        <Figure name={isDeletion ? 'Devices affected' : 'Unique devices'}>
          {isOpen(log) ? (
            <span className="muted">Available at the end</span>
          ) : (
            count(Number(log.unique_devices))
          )}
        </Figure>
        {!isErasure && (
          <Figure name="Key type">{log.key_type === 0 ? 'Attribute IDs' : 'Your own keys'}</Figure>
        )}
        <Figure name="Duration">
          <JobDuration job={job} />
        </Figure>
        <Figure name="Submitted">
          <Moment at={log.created_at} />
        </Figure>
        <Figure name={isOpen(log) ? 'Updated' : 'Ended'}>
          <Moment at={log.updated_at} />
        </Figure>
      </dl>
    </Panel>
  );
}

function removedFrom(isErasure: boolean): string {
  return isErasure ? 'Removed from attributes and audiences' : 'Removed from attributes';
}

function outcomeWords({ status, log_type, errors }: ImportLog): string {
  if (status === 3) return 'Nothing was applied.';
  if (log_type === 1) return 'The data was deleted.';
  if (log_type === 3) return 'Devices were removed because their owners asked for it.';
  const rows = errors === null ? 'All rows' : 'All rows except those listed below';
  return log_type === 2
    ? `Dry run: nothing was applied. ${rows} would be applied.`
    : `${rows} were applied.`;
}
