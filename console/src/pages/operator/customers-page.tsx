import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { NameDialog } from './name-dialog.tsx';
import './operator.css';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';
import type { Customer } from './wire.ts';

export function CustomersPage() {
  const api = useApi();
  const [, navigate] = useLocation();
  const [isNaming, setNaming] = useState(false);
  const customers = useAnswer(() => answerOf(api.GET('/admin/v1/customers')), []);

  async function create(name: string): Promise<void> {
    const { customer_id } = await answerOf(api.POST('/admin/v1/customers', { body: { name } }));
    navigate(`/console/operator/customers/${customer_id}`);
  }

  return (
    <Page
      title="Customers"
      subtitle="On whose behalf partners load audiences, and whose users look at them here."
      actions={
        <Button kind="primary" onClick={() => setNaming(true)}>
          New customer
        </Button>
      }
    >
      <ProblemNote problem={customers.problem} />
      {customers.data && (
        <Panel>
          {customers.data.length === 0 ? (
            <EmptyState title="No customers yet">
              <p>Create the first one here, or on the command line:</p>
              <CopyCommand command='tributary customer create "Harbor Coffee"' />
            </EmptyState>
          ) : (
            <CustomerTable customers={customers.data} />
          )}
        </Panel>
      )}
      {isNaming && (
        <NameDialog
          title="New customer"
          hint="Who it is, as its users and partners will read it."
          onName={create}
          onClose={() => setNaming(false)}
        />
      )}
    </Page>
  );
}

function CustomerTable({ customers }: { readonly customers: readonly Customer[] }) {
  const search = useSearch(customers, ({ name, customer_id }) => [name, String(customer_id)]);
  return (
    <>
      <SearchBar label="Search customers" search={search} />
      <div className="data-scroll">
        <table className="data">
          <caption className="visually-hidden">Customers</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Created</th>
              <th scope="col" className="num">
                Id
              </th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
      <SearchRest search={search} />
    </>
  );
}
