import { Button, ButtonLink } from '../../parts/button.tsx';
import { timeColumn } from '../../parts/data-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { grantsPath } from './grant-filter.ts';
import { SearchTable } from './search-table.tsx';
import type { User } from './wire.ts';

export interface UserTableProps {
  readonly customerId: string;
  readonly users: readonly User[];
  /** Disables an enabled user, enables a disabled one. */
  onSwitch(user: User): void;
  onLink(user: User): void;
  onRemove(user: User): void;
}

export function UserTable(props: UserTableProps) {
  const { customerId, users, onSwitch, onLink, onRemove } = props;
  return (
    <SearchTable
      label="Table of users"
      searchLabel="Search users"
      textsOf={({ email }) => [email]}
      rows={users}
      keyOf={({ user_id }) => user_id}
      columns={[
        {
          label: 'E-mail',
          className: 'operator-name',
          cell: ({ email, is_disabled }) => (
            <>
              <bdi>{email}</bdi> {is_disabled && <StateBadge state="cancelled" word="Disabled" />}
            </>
          ),
        },
        timeColumn('Last sign-in', 'last_sign_in_at', 'wide-only'),
        timeColumn('Created', 'created_at', 'wide-only'),
      ]}
      actions={(user) => (
        <>
          <ButtonLink
            aria-label={`Grants of ${user.email}`}
            href={grantsPath({ customer_id: customerId, user_id: String(user.user_id) })}
          >
            Grants
          </ButtonLink>
          <Button aria-label={`Password link for ${user.email}`} onClick={() => onLink(user)}>
            Password link
          </Button>
          <Button aria-label={`${switchWord(user)} ${user.email}`} onClick={() => onSwitch(user)}>
            {switchWord(user)}
          </Button>
          <Button aria-label={`Remove ${user.email}`} onClick={() => onRemove(user)}>
            Remove
          </Button>
        </>
      )}
    />
  );
}

function switchWord({ is_disabled }: User): string {
  return is_disabled ? 'Enable' : 'Disable';
}
