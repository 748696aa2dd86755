import type { ReactNode } from 'react';
import { SelectField, TextField } from '../../parts/field.tsx';
import { stateWords } from '../../parts/state-badge.tsx';
import { kindNames } from './job-words.ts';

type JobFilter = Readonly<Record<'search' | 'state' | 'kind', string>>;

interface JobFilterLineProps {
  readonly filter: JobFilter;
  /** Whether the list is up to date. */
  readonly mark: ReactNode;
  onChange(change: Partial<JobFilter>): void;
}

/** Narrows the list of jobs by text, state and kind. */
export function JobFilterLine({ filter, mark, onChange }: JobFilterLineProps) {
  return (
    <search className="list-tools">
      <TextField
        label="Search by path, audience or ID"
        type="search"
        maxLength={255}
        value={filter.search}
        onChange={(event) => onChange({ search: event.currentTarget.value })}
      />
      <SelectField
        label="State"
        value={filter.state}
        onChange={(event) => onChange({ state: event.currentTarget.value })}
      >
        <option value="">All states</option>
        <Options words={stateWords} />
      </SelectField>
      <SelectField
        label="Kind"
        value={filter.kind}
        onChange={(event) => onChange({ kind: event.currentTarget.value })}
      >
        <option value="">All kinds</option>
        <Options words={kindNames} />
      </SelectField>
      {mark}
    </search>
  );
}

function Options({ words }: { readonly words: Readonly<Record<string, string>> }) {
  return Object.entries(words).map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ));
}
