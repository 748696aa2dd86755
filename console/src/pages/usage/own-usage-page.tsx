import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { QuotaFacts } from './quota-facts.tsx';
import './usage.css';
import { UsageTable } from './usage-table.tsx';

/** A partner's own usage and quotas. */
export function OwnUsagePage() {
  const api = useApi();
  const usage = useAnswer(() => answerOf(api.GET('/v1/usage')), []);
  const quotas = useAnswer(() => answerOf(api.GET('/v1/usage/quotas')), []);
  return (
    <Page
      title="Usage"
      subtitle="The last twelve months. Devices and bytes are the highest values of the month."
    >
      <ProblemNote problem={usage.problem ?? quotas.problem} />
      {usage.data && (
        <Panel title="By month">
          <UsageTable usage={usage.data} />
        </Panel>
      )}
      {quotas.data && (
        <Panel title="Quotas">
          <QuotaFacts quotas={quotas.data} />
        </Panel>
      )}
    </Page>
  );
}
