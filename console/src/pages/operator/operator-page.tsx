import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import './operator.css';
import { useEvery } from '../../api/use-every.ts';
import { QueuePanel, QueueSummary } from './queue-panels.tsx';
import { lookAtReadiness } from './readiness.ts';
import { ReadinessPanel } from './readiness-panel.tsx';
import { StoragePanel, UniversePanel } from './stored-panels.tsx';

/** Each look is a call that the audit keeps, hence no oftener. */
const secondsBetweenLooks = 10;

export function OperatorPage() {
  const api = useApi();
  const status = useAnswer(async () => {
    const seen = await answerOf(api.GET('/admin/v1/status'));
    return { ...seen, at: new Date().toISOString() };
  }, []);
  const readiness = useAnswer(() => lookAtReadiness(api), []);
  useEvery(secondsBetweenLooks, status.reload);
  useEvery(secondsBetweenLooks, readiness.reload);

  return (
    <Page
      title="Overview"
      subtitle={
        status.data && (
          <>
            Looked at <Moment at={status.data.at} />, again every {secondsBetweenLooks} seconds
          </>
        )
      }
    >
      <ProblemNote problem={status.problem ?? readiness.problem} />
      <div className="operator-cards">
        {readiness.data && <ReadinessPanel readiness={readiness.data} />}
        {status.data && (
          <>
            <QueueSummary lanes={status.data.queue} />
            <UniversePanel universe={status.data.universe} />
            <StoragePanel storage={status.data.storage} />
          </>
        )}
      </div>
      {status.data && <QueuePanel lanes={status.data.queue} />}
    </Page>
  );
}
