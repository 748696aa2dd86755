import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import './audit.css';
import type { AuditEntry } from './audit-entry.ts';
import { AuditList } from './audit-list.tsx';
import type { AuditFilter } from './use-audit.ts';

const exportPath = '/admin/v1/audit/export';

export function AuditPage() {
  const [filter, setFilter] = useState<AuditFilter>({ changes: 'true' });
  const query = new URLSearchParams(
    Object.entries(filter).map(([name, value]) => [name, String(value)]),
  );
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
        <AuditControls filter={filter} onFilter={setFilter} />
        <AuditList key={String(query)} filter={filter} />
      </Panel>
    </Page>
  );
}

interface AuditControlsProps {
  readonly filter: AuditFilter;
  onFilter(filter: AuditFilter): void;
}

function AuditControls({ filter, onFilter }: AuditControlsProps) {
  const api = useApi();
  const partners = useAnswer(() => answerOf(api.GET('/admin/v1/partners')), []);
  /** An empty value removes the condition. */
  const set = (name: keyof AuditFilter, value: string | number) => {
    const { [name]: _, ...others } = filter;
    onFilter(value === '' ? others : { ...others, [name]: value });
  };
  return (
    <div className="audit-controls">
      <SelectField
        label="Who"
        value={filter.actor ?? ''}
        onChange={(event) => set('actor', event.target.value as AuditEntry['actor'] | '')}
      >
        <option value="">Everyone</option>
        <option value="operator">Operators</option>
        <option value="partner">Partners</option>
        <option value="user">Users</option>
        <option value="app">Apps</option>
      </SelectField>
      <SelectField
        label="Partner"
        value={filter.partner_id ?? ''}
        onChange={(event) =>
          set('partner_id', event.target.value === '' ? '' : Number(event.target.value))
        }
      >
        <option value="">All partners</option>
        {partners.data?.map(({ partner_id, name }) => (
          <option key={partner_id} value={partner_id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="What"
        value={filter.changes ?? ''}
        onChange={(event) => set('changes', event.target.value)}
      >
        <option value="true">Changes</option>
        <option value="">Changes and reads</option>
      </SelectField>
      <TextField
        label="Since"
        type="date"
        value={filter.since ?? ''}
        onChange={(event) => set('since', event.target.value)}
      />
      <TextField
        label="Before"
        type="date"
        value={filter.until ?? ''}
        onChange={(event) => set('until', event.target.value)}
      />
    </div>
  );
}
