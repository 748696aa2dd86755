import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import './usage.css';
import { UsageTable } from './usage-table.tsx';

/** The usage of all partners. */
export function UsagePage() {
  const api = useApi();
  const usage = useAnswer(() => answerOf(api.GET('/admin/v1/usage')), []);
  return (
    <Page
      title="Usage"
      subtitle="The last twelve months. Devices and bytes are the highest values of the month."
    >
      <ProblemNote problem={usage.problem} />
      {usage.data && (
        <Panel>
          <UsageTable usage={usage.data} isNamed />
        </Panel>
      )}
    </Page>
  );
}
