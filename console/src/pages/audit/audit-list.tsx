import { Button } from '../../parts/button.tsx';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type AuditEntry, callerOf } from './audit-entry.ts';
import { type AuditFilter, useAudit } from './use-audit.ts';

export function AuditList({ filter }: { readonly filter: AuditFilter }) {
  const entries = useAudit(filter);
  return (
    <>
      <ProblemNote problem={entries.problem} />
      {entries.listed?.length === 0 && (
        <EmptyState title="No entries">
          <p>No entry matches the filter. Older entries may have been deleted.</p>
        </EmptyState>
      )}
      {entries.listed && entries.listed.length > 0 && <EntryTable entries={entries.listed} />}
      {entries.hasMore && (
        <p className="audit-more">
          <Button disabled={entries.isWaiting} onClick={entries.showMore}>
            Show more
          </Button>
        </p>
      )}
    </>
  );
}

function EntryTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <DataTable
      label="Table of audit entries"
      className="audit-table"
      rows={entries}
      keyOf={({ audit_entry_id }) => audit_entry_id}
      columns={[
        { label: 'Who', cell: (entry) => <Caller entry={entry} /> },
        { label: 'What', className: 'audit-what', cell: (entry) => <Call entry={entry} /> },
        {
          label: 'From',
          className: 'wide-only',
          cell: ({ remote_address }) => remote_address,
        },
        { label: 'Status', className: 'num', cell: ({ status }) => status ?? '–' },
        timeColumn('When', 'called_at'),
      ]}
    />
  );
}

function Caller({ entry }: { readonly entry: AuditEntry }) {
  const { name, kind } = callerOf(entry);
  return (
    <>
      <bdi>{name}</bdi>
      <span className="audit-aside">{kind}</span>
    </>
  );
}

function Call({ entry }: { readonly entry: AuditEntry }) {
  const { action, target, before, after } = entry;
  const [method] = action.split(' ', 1);
  return (
    <>
      <code>
        {method} {target}
      </code>
      {(before !== null || after !== null) && (
        <details>
          <summary>Before and after</summary>
          <dl className="audit-change">
            <dt>Before</dt>
            <dd>{shown(before)}</dd>
            <dt>After</dt>
            <dd>{shown(after)}</dd>
          </dl>
        </details>
      )}
    </>
  );
}

function shown(record: unknown) {
  return record === null ? '–' : <pre>{JSON.stringify(record, null, 2)}</pre>;
}
