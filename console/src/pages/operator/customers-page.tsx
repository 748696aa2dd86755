import { Link } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ListTable } from './list-table.tsx';
import { NamedListPage } from './named-list-page.tsx';
import './operator.css';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';
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
      subtitle="On whose behalf partners load audiences, and whose users look at them here."
      thing="customer"
      hint="Who it is, as its users and partners will read it."
      command='tributary customer create "Harbor Coffee"'
      load={() => answerOf(api.GET('/admin/v1/customers'))}
      create={create}
    >
      {(customers) => <CustomerTable customers={customers} />}
    </NamedListPage>
  );
}

function CustomerTable({ customers }: { readonly customers: readonly Customer[] }) {
  const search = useSearch(customers, ({ name, customer_id }) => [name, String(customer_id)]);
  return (
    <>
      <SearchBar label="Search customers" search={search} />
      <ListTable caption="Customers" columns={['Name', 'Created', { label: 'Id', isNumber: true }]}>
        {search.shown.map((customer) => (
          <tr key={customer.customer_id}>
            <th scope="row" className="operator-name">
              <Link href={`/console/operator/customers/${customer.customer_id}`}>
                <bdi>{customer.name}</bdi>
              </Link>
            </th>
            <td>
              <Moment at={customer.created_at} />
            </td>
            <td className="num">{customer.customer_id}</td>
          </tr>
        ))}
      </ListTable>
      <SearchRest search={search} />
    </>
  );
}
