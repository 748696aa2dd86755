import { Button, ButtonLink } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { grantsPath } from './grant-filter.ts';
import { ListTable } from './list-table.tsx';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';
import type { User } from './wire.ts';

export interface UserTableProps {
  readonly customerId: string;
  readonly users: readonly User[];
  /** Disables who may sign in, and enables who may not. */
  onSwitch(user: User): void;
  onPassword(user: User): void;
  onRemove(user: User): void;
}

export function UserTable(props: UserTableProps) {
  const { customerId, users, onSwitch, onPassword, onRemove } = props;
  const search = useSearch(users, ({ email }) => [email]);
  return (
    <>
      <SearchBar label="Search users" search={search} />
      <ListTable
        caption="Users"
        columns={[
          'E-mail',
          { label: 'Last sign-in', isWide: true },
          { label: 'Created', isWide: true },
        ]}
        hasActions
      >
        {search.shown.map((user) => (
          <tr key={user.user_id}>
            <th scope="row" className="operator-name">
              <bdi>{user.email}</bdi>{' '}
              {user.is_disabled && <StateBadge state="cancelled" word="Disabled" />}
            </th>
            <td className="operator-wide">
              {user.last_sign_in_at ? <Moment at={user.last_sign_in_at} /> : 'never'}
            </td>
            <td className="operator-wide">
              <Moment at={user.created_at} />
            </td>
            <td className="operator-row-actions">
              <ButtonLink
                aria-label={`Grants of ${user.email}`}
                href={grantsPath({ customer_id: customerId, user_id: String(user.user_id) })}
              >
                Grants
              </ButtonLink>
              <Button
                aria-label={`New password for ${user.email}`}
                onClick={() => onPassword(user)}
              >
                New password
              </Button>
              <Button
                aria-label={`${switchWord(user)} ${user.email}`}
                onClick={() => onSwitch(user)}
              >
                {switchWord(user)}
              </Button>
              <Button aria-label={`Remove ${user.email}`} onClick={() => onRemove(user)}>
                Remove
              </Button>
            </td>
          </tr>
        ))}
      </ListTable>
      <SearchRest search={search} />
    </>
  );
}

function switchWord({ is_disabled }: User): string {
  return is_disabled ? 'Enable' : 'Disable';
}
