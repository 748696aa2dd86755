import { Link } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import type { Grant } from './wire.ts';

export interface GrantTableProps {
  readonly grants: readonly Grant[];
  onRevoke(grant: Grant): void;
}

export function GrantTable({ grants, onRevoke }: GrantTableProps) {
  return (
    <DataTable
      label="Table of grants"
      className="operator-grants"
      rows={grants}
      keyOf={({ grant_id }) => grant_id}
      columns={[
        {
          label: 'App',
          className: 'operator-name',
          cell: ({ app_name, partner_name, partner_id }) => (
            <Owned
              name={app_name}
              owner={partner_name}
              href={`/console/operator/partners/${partner_id}`}
            />
          ),
        },
        {
          label: 'Acts for',
          className: 'operator-name',
          cell: ({ email, customer_name, customer_id }) => (
            <Owned
              name={email}
              owner={customer_name}
              href={`/console/operator/customers/${customer_id}`}
            />
          ),
        },
        timeColumn('Granted', 'created_at', 'wide-only'),
        timeColumn('Last used', 'last_used_at', 'wide-only'),
        timeColumn('Expires', 'expires_at', 'wide-only'),
      ]}
      actions={(grant) => (
        <Button
          aria-label={`Revoke the grant of ${grant.app_name} for ${grant.email}`}
          onClick={() => onRevoke(grant)}
        >
          Revoke
        </Button>
      )}
    />
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
