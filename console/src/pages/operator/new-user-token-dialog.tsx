import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { SelectField } from '../../parts/field.tsx';
import { exactTime } from '../../parts/format.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { IssueDialog } from './issue-dialog.tsx';
import { useFocus } from './use-focus.ts';
import type { Customer } from './wire.ts';

const daySeconds = 86_400;
const lifetimes = [
  { label: 'One day', seconds: daySeconds },
  { label: '30 days', seconds: 30 * daySeconds },
  { label: 'One year', seconds: 365 * daySeconds },
  { label: 'Until it is revoked', seconds: 0 },
];

export interface NewUserTokenDialogProps {
  readonly partnerId: string;
  readonly customers: readonly Customer[];
  onIssued(): void;
  onClose(): void;
}

export function NewUserTokenDialog(props: NewUserTokenDialogProps) {
  const { customers, onClose } = props;
  if (customers.length > 0) return <UserTokenForm {...props} />;
  return (
    <Dialog title="New user token" onClose={onClose}>
      <EmptyState title="No customers yet">
        <p>A token lets the partner act for a customer. Create the customer first.</p>
        <ButtonLink kind="primary" href="/console/operator/customers">
          Customers
        </ButtonLink>
      </EmptyState>
    </Dialog>
  );
}

function UserTokenForm({ partnerId, customers, onIssued, onClose }: NewUserTokenDialogProps) {
  const api = useApi();
  const field = useFocus<HTMLSelectElement>();
  const [customerId, setCustomerId] = useState(customers[0]!.customer_id);
  const [seconds, setSeconds] = useState(30 * daySeconds);

  function issue() {
    return answerOf(
      api.POST('/admin/v1/partners/{partner_id}/user-tokens', {
        params: { path: { partner_id: partnerId } },
        body: { customer_id: customerId, ...(seconds === 0 ? {} : { expires_in: seconds }) },
      }),
    );
  }

  return (
    <IssueDialog
      title="New user token"
      issueLabel="Create the token"
      issue={issue}
      shown={({ user_token, expires_at }) => (
        <>
          <ShownOnce label="User token" value={user_token} />
          <p>
            {expires_at === null
              ? 'It is valid until it is revoked. '
              : `It is valid until ${exactTime(new Date(expires_at))}. `}
            The partner sends it as <code>x-user-token</code>, together with its API key.
          </p>
        </>
      )}
      onIssued={onIssued}
      onClose={onClose}
    >
      <SelectField
        ref={field}
        label="Customer"
        hint="The partner acts on behalf of this customer."
        value={customerId}
        onChange={(event) => setCustomerId(Number(event.target.value))}
      >
        {customers.map(({ customer_id, name }) => (
          <option key={customer_id} value={customer_id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Valid for"
        value={seconds}
        onChange={(event) => setSeconds(Number(event.target.value))}
      >
        {lifetimes.map((lifetime) => (
          <option key={lifetime.seconds} value={lifetime.seconds}>
            {lifetime.label}
          </option>
        ))}
      </SelectField>
    </IssueDialog>
  );
}
