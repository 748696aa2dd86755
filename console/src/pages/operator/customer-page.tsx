import { useLocation, useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { AccessPanel } from './access-panel.tsx';
import { grantsPath } from './grant-filter.ts';
import { holdingsInWords } from './holdings.ts';
import './operator.css';
import { RenameButton } from './rename-button.tsx';
import { UsersPanel } from './users-panel.tsx';

const customerPath = '/admin/v1/customers/{customer_id}';
const holdingsPath = `${customerPath}/holdings` as const;

export function CustomerPage() {
  const api = useApi();
  const [, navigate] = useLocation();
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
  const params = { path: { customer_id: id } };
  async function change(body: { name?: string; disabled?: boolean }): Promise<void> {
    await answerOf(api.PATCH(customerPath, { params, body }));
    customers.reload();
  }
  return (
    <Page
      title={customer.name}
      subtitle={
        <>
          Customer {id}, created <Moment at={customer.created_at} isFocusable />
        </>
      }
      actions={
        <>
          <RenameButton thing="customer" name={customer.name} rename={(name) => change({ name })} />
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
      <AccessPanel
        thing="customer"
        name={customer.name}
        disabledAt={customer.disabled_at}
        stops="Its users cannot sign in, user tokens and apps that act for its users are refused, and loads of its audiences are cancelled."
        holdings={async () => holdingsInWords(await answerOf(api.GET(holdingsPath, { params })))}
        setDisabled={(disabled) => change({ disabled })}
        remove={async () => {
          await answerOf(api.DELETE(customerPath, { params }));
          navigate('/console/operator/customers');
        }}
      />
    </Page>
  );
}
