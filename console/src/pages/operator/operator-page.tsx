import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import './operator.css';
import { useEvery } from '../../api/use-every.ts';
import { BackupPanel } from './backup-panel.tsx';
import { QueuePanel, QueueSummary } from './queue-panels.tsx';
import { fetchReadiness } from './readiness.ts';
import { ReadinessPanel } from './readiness-panel.tsx';
import { RemovalsPanel } from './removals-panel.tsx';
import { StoragePanel, UniversePanel } from './stored-panels.tsx';
import { TrendsPanel } from './trends-panel.tsx';
import { TroublePanel } from './trouble-panel.tsx';

/** Not more often, because each refresh adds an entry to the audit log. */
const refreshSeconds = 10;

export function OperatorPage() {
  const api = useApi();
  const status = useAnswer(async () => {
    const loaded = await answerOf(api.GET('/admin/v1/status'));
    return { ...loaded, at: new Date().toISOString() };
  }, []);
  const readiness = useAnswer(() => fetchReadiness(api), []);
  useEvery(refreshSeconds, status.reload);
  useEvery(refreshSeconds, readiness.reload);

  return (
    <Page
      title="Overview"
      subtitle={
        status.data && (
          <>
            Updated <Moment at={status.data.at} isFocusable /> · refreshes every {refreshSeconds}{' '}
            seconds
          </>
        )
      }
    >
      <ProblemNote problem={status.problem ?? readiness.problem} />
      <div className="operator-cards">
        {readiness.data && <ReadinessPanel readiness={readiness.data} />}
        {status.data && (
          <>
            <QueueSummary status={status.data} />
            <UniversePanel universe={status.data.universe} />
            <StoragePanel storage={status.data.storage} />
            <BackupPanel backup={status.data.backup} />
          </>
        )}
      </div>
      {status.data && <TroublePanel status={status.data} />}
      {status.data && <QueuePanel lanes={status.data.queue} />}
      {status.data && <RemovalsPanel removals={status.data.removals} />}
      <TrendsPanel />
    </Page>
  );
}
