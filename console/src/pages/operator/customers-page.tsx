import { Link } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { timeColumn } from '../../parts/data-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { NamedListPage } from './named-list-page.tsx';
import './operator.css';
import { SearchTable } from './search-table.tsx';
import type { Customer } from './wire.ts';

export function CustomersPage() {
  const api = useApi();

  async function create(name: string): Promise<string> {
    const { customer_id } = await answerOf(api.POST('/admin/v1/customers', { body: { name } }));
    return `/console/operator/customers/${customer_id}`;
  }

  return (
    <NamedListPage
      title="Customers"
      subtitle="Partners load audiences on behalf of customers, whose users view them here."
      thing="customer"
      hint="Shown to the customer’s users and to partners."
      command='tributary customer create "Harbor Coffee"'
      load={() => answerOf(api.GET('/admin/v1/customers'))}
      create={create}
    >
      {(customers) => <CustomerTable customers={customers} />}
    </NamedListPage>
  );
}

function CustomerTable({ customers }: { readonly customers: readonly Customer[] }) {
  return (
    <SearchTable
      label="Table of customers"
      searchLabel="Search customers"
      textsOf={({ name, customer_id }) => [name, String(customer_id)]}
      rows={customers}
      keyOf={({ customer_id }) => customer_id}
      columns={[
        {
          label: 'Name',
          className: 'operator-name',
          cell: ({ customer_id, name, disabled_at }) => (
            <>
              <Link href={`/console/operator/customers/${customer_id}`}>
                <bdi>{name}</bdi>
              </Link>
              {disabled_at !== null && <StateBadge state="cancelled" word="Disabled" />}
            </>
          ),
        },
        timeColumn('Created', 'created_at'),
        { label: 'ID', className: 'num', cell: ({ customer_id }) => customer_id },
      ]}
    />
  );
}
