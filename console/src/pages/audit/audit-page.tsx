import { useSearchParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import './audit.css';
import { AuditControls } from './audit-controls.tsx';
import { auditFilterIn, auditQuery } from './audit-filter.ts';
import { AuditList } from './audit-list.tsx';
import { operationsIn } from './operations.ts';

const exportPath = '/admin/v1/audit/export';

/** Who did what. The filter is in the address. */
export function AuditPage() {
  const [params, setParams] = useSearchParams();
  const filter = auditFilterIn(params);
  const query = new URLSearchParams(
    Object.entries(auditQuery(filter)).map(([name, value]) => [name, String(value)]),
  );
  const operations = useAnswer(async () => operationsIn(await answerOf(described())), []);
  return (
    <Page
      title="Audit log"
      subtitle="Who did what: calls of operators, and writes of partners, users and apps."
      actions={
        <ButtonLink href={`${exportPath}?${query}`} download>
          Export as JSON lines
        </ButtonLink>
      }
    >
      <Panel>
        <AuditControls
          filter={filter}
          operations={operations.data ?? []}
          onFilter={(next) => setParams({ ...next }, { replace: true })}
        />
        <ProblemNote problem={operations.problem} />
        <AuditList
          key={String(query)}
          filter={filter}
          names={new Map(operations.data?.map(({ action, summary }) => [action, summary]))}
        />
      </Panel>
    </Page>
  );
}

/** The service's own description of its operations, which is not part of the API. */
async function described() {
  const response = await fetch('/openapi.json');
  return { data: response.ok ? await response.json() : undefined, response };
}
