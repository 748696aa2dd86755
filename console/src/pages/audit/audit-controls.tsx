import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import type { AuditFilter } from './audit-filter.ts';
import { isRead, type Operation } from './operations.ts';

export interface AuditControlsProps {
  readonly filter: AuditFilter;
  readonly operations: readonly Operation[];
  onFilter(filter: AuditFilter): void;
}

export function AuditControls({ filter, operations, onFilter }: AuditControlsProps) {
  const api = useApi();
  const partners = useAnswer(() => answerOf(api.GET('/admin/v1/partners')), []);
  /** An empty value removes the condition. */
  const conditionOf = (name: keyof AuditFilter) => ({
    value: filter[name] ?? '',
    onChange: ({ target: { value } }: { target: { value: string } }) => {
      const { [name]: _, ...others } = filter;
      onFilter(value === '' ? others : { ...others, [name]: value });
    },
  });
  const listed = operations.filter(({ action }) => filter.reads || !isRead(action));
  return (
    <search className="audit-controls">
      <SelectField label="Who" {...conditionOf('actor')}>
        <option value="">Everyone</option>
        <option value="operator">Operators</option>
        <option value="partner">Partners</option>
        <option value="user">Users</option>
        <option value="app">Apps</option>
      </SelectField>
      <SelectField label="Partner" {...conditionOf('partner_id')}>
        <option value="">All partners</option>
        {partners.data?.map(({ partner_id, name }) => (
          <option key={partner_id} value={partner_id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Calls" {...conditionOf('reads')}>
        <option value="">Changes</option>
        <option value="true">Changes and reads</option>
      </SelectField>
      <SelectField label="Operation" {...conditionOf('action')}>
        <option value="">All operations</option>
        {[...Map.groupBy(listed, ({ group }) => group)].map(([group, ofGroup]) => (
          <optgroup key={group} label={group}>
            {ofGroup.map(({ action, summary }) => (
              <option key={action} value={action}>
                {summary}
              </option>
            ))}
          </optgroup>
        ))}
      </SelectField>
      <TextField label="Since" type="date" {...conditionOf('since')} />
      <TextField label="Before" type="date" {...conditionOf('until')} />
    </search>
  );
}
