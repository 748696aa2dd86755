import { useApi } from '../../api/session.tsx';
import { usePages } from '../../api/use-pages.ts';
import { CopyableCode } from '../../parts/copyable-code.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { exactTime } from '../../parts/format.ts';
import { MoreButton } from '../../parts/more-button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type AuditEntry, callerOf } from './audit-entry.ts';
import { type AuditFilter, auditQuery } from './audit-filter.ts';

const pageSize = 100;

interface AuditListProps {
  readonly filter: AuditFilter;
  /** The names of operations, by action. */
  readonly names: ReadonlyMap<string, string>;
}

/** Entries, newest first, page by page. The filter must not change while it is mounted. */
export function AuditList({ filter, names }: AuditListProps) {
  const api = useApi();
  const entries = usePages((after) => {
    const page = { limit: pageSize, ...(after ? { after: Number(after) } : {}) };
    const query = { ...auditQuery(filter), ...page };
    return api.GET('/admin/v1/audit', { params: { query } });
  });
  return (
    <>
      <ProblemNote problem={entries.problem} />
      {entries.listed?.length === 0 && (
        <EmptyState title="No entries">
          <p>No entry matches the filter. Older entries may have been deleted.</p>
        </EmptyState>
      )}
      {entries.listed && entries.listed.length > 0 && (
        <EntryTable entries={entries.listed} names={names} />
      )}
      <MoreButton pages={entries} />
    </>
  );
}

interface EntryTableProps {
  readonly entries: readonly AuditEntry[];
  readonly names: ReadonlyMap<string, string>;
}

function EntryTable({ entries, names }: EntryTableProps) {
  return (
    <DataTable
      label="Table of audit entries"
      className="audit-table card-rows"
      rows={entries}
      keyOf={({ audit_entry_id }) => audit_entry_id}
      columns={[
        { label: 'Who', className: 'wide', cell: (entry) => <Caller entry={entry} /> },
        {
          label: 'What',
          className: 'audit-what wide',
          cell: (entry) => <Call entry={entry} name={names.get(entry.action)} />,
        },
        {
          label: 'From',
          className: 'wide-only',
          cell: ({ remote_address }) => remote_address,
        },
        {
          label: 'Status',
          className: 'num',
          isCardLabelled: true,
          cell: ({ status }) => status ?? '–',
        },
        {
          label: 'When',
          className: 'audit-when',
          cell: ({ called_at }) => (
            <time dateTime={called_at}>{exactTime(new Date(called_at))}</time>
          ),
        },
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

interface CallProps {
  readonly entry: AuditEntry;
  /** Of the operation, if it still exists. */
  readonly name: string | undefined;
}

function Call({ entry, name }: CallProps) {
  const { action, target, before, after, request_id } = entry;
  const [method] = action.split(' ', 1);
  return (
    <>
      {name}
      <code className={name === undefined ? undefined : 'audit-aside'}>
        {method} {target}
      </code>
      <details>
        <summary>Details</summary>
        <dl className="audit-change">
          <dt>Request</dt>
          <dd>
            <CopyableCode text={request_id} what="the request ID" />
          </dd>
          <dt>Before</dt>
          <dd>{shown(before)}</dd>
          <dt>After</dt>
          <dd>{shown(after)}</dd>
        </dl>
      </details>
    </>
  );
}

function shown(record: unknown) {
  return record === null ? '–' : <pre>{JSON.stringify(record, null, 2)}</pre>;
}
