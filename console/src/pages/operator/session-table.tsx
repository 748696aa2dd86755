import { browserName } from '../../parts/browser-name.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ListTable } from './list-table.tsx';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';
import type { SignedIn } from './wire.ts';

export interface SessionTableProps {
  readonly sessions: readonly SignedIn[];
  onRevoke(session: SignedIn): void;
}

const kindWords = {
  customer: 'Customer’s user',
  partner: 'Partner, by an API key',
  operator: 'By the admin token',
};

export function SessionTable({ sessions, onRevoke }: SessionTableProps) {
  const search = useSearch(sessions, ({ name, kind, remote_address }) => [
    name,
    kind,
    remote_address,
  ]);
  return (
    <>
      <SearchBar label="Search sessions" search={search} />
      <ListTable
        caption="Sessions"
        columns={[
          'Who',
          'From',
          { label: 'Last used', isWide: true },
          { label: 'Signed in', isWide: true },
          { label: 'Expires', isWide: true },
        ]}
        hasActions
      >
        {search.shown.map((session) => (
          <tr key={session.session_id}>
            <th scope="row" className="operator-name">
              <bdi>{session.name}</bdi>{' '}
              {session.is_current && <span className="operator-tag">this session</span>}
              <span className="operator-aside">{kindWords[session.kind]}</span>
            </th>
            <td className="operator-address">
              {session.remote_address}
              <span className="operator-aside" title={session.user_agent}>
                {browserName(session.user_agent)}
              </span>
            </td>
            <td className="operator-wide">
              <Moment at={session.last_used_at} />
            </td>
            <td className="operator-wide">
              <Moment at={session.created_at} />
            </td>
            <td className="operator-wide">
              <Moment at={session.expires_at} />
            </td>
            <td className="operator-row-actions">
              <Button
                aria-label={`End session ${session.session_id} of ${session.name}`}
                onClick={() => onRevoke(session)}
              >
                End
              </Button>
            </td>
          </tr>
        ))}
      </ListTable>
      <SearchRest search={search} />
    </>
  );
}
