import '../composition/composition.css';
import '../composition/attributes.css';
import './compare.css';
import { useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { count } from '../../parts/format.ts';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { comparableAudiences } from '../composition/baseline.ts';
import { filtered } from '../composition/filtering.ts';
import { thresholdNote } from '../composition/withheld.ts';
import { ComparisonTable } from './comparison-table.tsx';
import { type Comparison, useAudiences, useComparison } from './use-comparison.ts';

/** Two audiences side by side. The address has their ids, so a link shows the same. */
export function ComparePage() {
  const [path, navigate] = useLocation();
  const [query] = useSearchParams();
  const [one, other] = [idOf(query.get('one')), idOf(query.get('other'))];
  const audiences = useAudiences();
  const comparison = useComparison(one, other);
  const listed = audiences.data ?? [];
  const first = listed.find(({ audience_id }) => audience_id === one);
  const second = listed.find(({ audience_id }) => audience_id === other);
  const choose = (next: { one?: number | undefined; other?: number | undefined }) => {
    const chosen = Object.entries({ one, other, ...next }).filter(([, id]) => id !== undefined);
    navigate(`${path}?${new URLSearchParams(chosen.map(([key, id]) => [key, String(id)]))}`);
  };
  return (
    <Page
      title="Compare audiences"
      subtitle="Two audiences of one customer, attribute by attribute."
    >
      <ProblemNote problem={audiences.problem} />
      <Panel>
        <div className="compare-choice">
          <AudienceField
            label="First audience"
            value={one}
            options={listed}
            onChange={(id) => choose({ one: id, other: undefined })}
          />
          <AudienceField
            label="Second audience"
            value={other}
            options={first ? comparableAudiences(listed, first) : []}
            onChange={(id) => choose({ other: id })}
          />
        </div>
      </Panel>
      <ProblemNote problem={comparison.problem} />
      {comparison.data && first && second && (
        <ComparedAudiences
          key={`${one} ${other}`}
          comparison={comparison.data}
          names={[first.name, second.name]}
        />
      )}
    </Page>
  );
}

interface ComparedAudiencesProps {
  readonly comparison: Comparison;
  readonly names: readonly [string, string];
}

function ComparedAudiences({ comparison, names }: ComparedAudiencesProps) {
  const { one, other, attributes } = comparison;
  const [search, setSearch] = useState('');
  const found = useMemo(
    () => filtered(attributes, { search, category: undefined }),
    [attributes, search],
  );
  const { mode, scale } = one.disclosure;
  return (
    <Panel title="Both audiences">
      <p className="how-to-read">
        {names[0]} has {count(one.matched_devices)} matched devices, {names[1]} has{' '}
        {count(other.matched_devices)}. An index of 100 means as common as among all devices in the
        marketplace. The last column is the first audience’s share divided by the second’s, with its
        95% interval. A triangle marks a significant difference. The calculation treats the two
        audiences as independent, although they may share devices. {thresholdNote}
        {mode === 'protected' &&
          ` Counts that depend on other partners’ data have noise of scale ${scale}, and the intervals take it into account.`}
      </p>
      <div className="view-controls">
        <TextField
          label="Find attributes"
          type="search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </div>
      {found.length === 0 ? (
        <EmptyState title="No matching attributes" />
      ) : (
        <ComparisonTable attributes={found} names={names} listKey={search} />
      )}
    </Panel>
  );
}

interface AudienceFieldProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly options: readonly { readonly audience_id: number; readonly name: string }[];
  onChange(id: number | undefined): void;
}

function AudienceField({ label, value, options, onChange }: AudienceFieldProps) {
  return (
    <SelectField
      label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(idOf(currentTarget.value))}
    >
      <option value="">Choose an audience</option>
      {options.map(({ audience_id, name }) => (
        <option key={audience_id} value={audience_id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

function idOf(text: string | null): number | undefined {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined;
}
