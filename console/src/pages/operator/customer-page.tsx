import { useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { grantsPath } from './grant-filter.ts';
import './operator.css';
import { UsersPanel } from './users-panel.tsx';

export function CustomerPage() {
  const api = useApi();
  const { customerId } = useParams<{ customerId: string }>();
  const customers = useAnswer(() => answerOf(api.GET('/admin/v1/customers')), []);
  const customer = customers.data?.find(({ customer_id }) => String(customer_id) === customerId);
  if (!customers.data) {
    return (
      <Page title="Customer">
        <ProblemNote problem={customers.problem} />
      </Page>
    );
  }
  const back = <ButtonLink href="/console/operator/customers">All customers</ButtonLink>;
  if (!customer) {
    return (
      <Page title="Customer" actions={back}>
        <EmptyState title="Customer not found">
          <p>Check the address, or choose a customer from the list.</p>
        </EmptyState>
      </Page>
    );
  }
  const id = String(customer.customer_id);
  return (
    <Page
      title={customer.name}
      subtitle={
        <>
          Customer {id}, created <Moment at={customer.created_at} />
        </>
      }
      actions={
        <>
          <ButtonLink
            aria-label="Grants of this customer’s users"
            href={grantsPath({ customer_id: id })}
          >
            Grants
          </ButtonLink>
          {back}
        </>
      }
    >
      <UsersPanel customerId={id} />
    </Page>
  );
}
