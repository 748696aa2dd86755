import { bytes, duration } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { Status } from './wire.ts';

export function BackupPanel({ backup }: { readonly backup: Status['backup'] }) {
  const { target, age_seconds, last_success, last_attempt } = backup;
  return (
    <Panel title="Backup">
      <p className="operator-figure">
        {age_seconds === null ? (
          'None yet'
        ) : (
          <>
            {duration(age_seconds)} <span>old</span>
          </>
        )}
      </p>
      <dl className="operator-facts">
        <dt>Target</dt>
        <dd>{target ?? <span className="muted">TRIBUTARY_BACKUP_TARGET is not set</span>}</dd>
        {last_success && (
          <>
            <dt>Newest set</dt>
            <dd>
              {last_success.set}{' '}
              {last_success.bytes !== null && (
                <span className="muted">{bytes(last_success.bytes)}</span>
              )}
            </dd>
          </>
        )}
        {last_attempt && (
          <>
            <dt>Last attempt</dt>
            <dd>
              <AttemptBadge state={last_attempt.state} />{' '}
              <Moment at={last_attempt.started_at ?? last_attempt.requested_at} />
              {last_attempt.problem && <span className="muted"> {last_attempt.problem}</span>}
            </dd>
          </>
        )}
      </dl>
    </Panel>
  );
}

function AttemptBadge({ state }: { readonly state: 'pending' | 'running' | 'done' | 'failed' }) {
  switch (state) {
    case 'done':
      return <StateBadge state="done" word="Complete" />;
    case 'failed':
      return <StateBadge state="failed" word="Failed" />;
    default:
      return <StateBadge state="running" word="In progress" />;
  }
}
