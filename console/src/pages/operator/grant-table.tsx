import { Link } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ListTable } from './list-table.tsx';
import type { Grant } from './wire.ts';

export interface GrantTableProps {
  readonly grants: readonly Grant[];
  onRevoke(grant: Grant): void;
}

export function GrantTable({ grants, onRevoke }: GrantTableProps) {
  return (
    <ListTable
      caption="Grants"
      columns={[
        'App',
        'Acts for',
        { label: 'Since', isWide: true },
        { label: 'Last used', isWide: true },
        { label: 'Until', isWide: true },
      ]}
      hasActions
      className="operator-grants"
    >
      {grants.map((grant) => (
        <tr key={grant.grant_id}>
          <th scope="row" className="operator-name">
            <Owned
              name={grant.app_name}
              owner={grant.partner_name}
              href={`/console/operator/partners/${grant.partner_id}`}
            />
          </th>
          <td className="operator-name">
            <Owned
              name={grant.email}
              owner={grant.customer_name}
              href={`/console/operator/customers/${grant.customer_id}`}
            />
          </td>
          <td className="operator-wide">
            <Moment at={grant.created_at} />
          </td>
          <td className="operator-wide">
            {grant.last_used_at === null ? 'never' : <Moment at={grant.last_used_at} />}
          </td>
          <td className="operator-wide">
            <Moment at={grant.expires_at} />
          </td>
          <td className="operator-row-actions">
            <Button
              aria-label={`Revoke ${grant.app_name} for ${grant.email}`}
              onClick={() => onRevoke(grant)}
            >
              Revoke
            </Button>
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

interface OwnedProps {
  readonly name: string;
  readonly owner: string;
  /** The owner's page. */
  readonly href: string;
}

function Owned({ name, owner, href }: OwnedProps) {
  return (
    <>
      <bdi>{name}</bdi>
      <span className="operator-aside">
        of{' '}
        <Link href={href}>
          <bdi>{owner}</bdi>
        </Link>
      </span>
    </>
  );
}
