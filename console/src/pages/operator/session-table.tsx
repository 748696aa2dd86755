import { browserName } from '../../parts/browser-name.ts';
import { Button } from '../../parts/button.tsx';
import { timeColumn } from '../../parts/data-table.tsx';
import { SearchTable } from './search-table.tsx';
import type { SignedIn } from './wire.ts';

export interface SessionTableProps {
  readonly sessions: readonly SignedIn[];
  onRevoke(session: SignedIn): void;
}

const kindWords = {
  customer: 'User of a customer',
  partner: 'Partner (API key)',
  operator: 'Admin token',
};

export function SessionTable({ sessions, onRevoke }: SessionTableProps) {
  return (
    <SearchTable
      label="Table of sessions"
      searchLabel="Search sessions"
      textsOf={({ name, kind, remote_address }) => [name, kind, remote_address]}
      rows={sessions}
      keyOf={({ session_id }) => session_id}
      columns={[
        {
          label: 'Who',
          className: 'operator-name',
          cell: ({ name, kind, is_current }) => (
            <>
              <bdi>{name}</bdi> {is_current && <span className="operator-tag">this session</span>}
              <span className="operator-aside">{kindWords[kind]}</span>
            </>
          ),
        },
        {
          label: 'From',
          className: 'operator-address',
          cell: ({ remote_address, user_agent }) => (
            <>
              {remote_address}
              <span className="operator-aside" title={user_agent}>
                {browserName(user_agent)}
              </span>
            </>
          ),
        },
        timeColumn('Last used', 'last_used_at', 'wide-only'),
        timeColumn('Signed in', 'created_at', 'wide-only'),
        timeColumn('Expires', 'expires_at', 'wide-only'),
      ]}
      actions={(session) => (
        <Button
          aria-label={`End session ${session.session_id} of ${session.name}`}
          onClick={() => onRevoke(session)}
        >
          End
        </Button>
      )}
    />
  );
}
