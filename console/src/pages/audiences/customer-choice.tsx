import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { SelectField } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

interface CustomerChoiceProps {
  readonly value: number | undefined;
  onChange(customerId: number | undefined): void;
}

/** A choice of the customers that the partner may act for, or none. */
export function CustomerChoice({ value, onChange }: CustomerChoiceProps) {
  const api = useApi();
  const { data, problem } = useAnswer(() => answerOf(api.GET('/v1/console/customers')), [api]);
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  return (
    <SelectField
      label="Customer"
      hint={
        data?.length === 0
          ? 'To create audiences for a customer, ask the operator for a user token of that customer.'
          : 'The customer sees the audience and its report. Only customers whose user token you have are listed.'
      }
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))
      }
    >
      <option value="">No customer: only you see it</option>
      {data?.map(({ customer_id, name }) => (
        <option key={customer_id} value={customer_id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
