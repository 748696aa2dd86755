import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { SelectField } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

interface AudienceChoiceProps {
  readonly value: number | undefined;
  onChange(audienceId: number | undefined): void;
}

/** A choice of the 100 most recently active audiences. Older ones are appended to on their page. */
export function AudienceChoice({ value, onChange }: AudienceChoiceProps) {
  const api = useApi();
  const { data, problem } = useAnswer(
    () => answerOf(api.GET('/v1/console/audiences', { params: { query: { limit: 100 } } })),
    [api],
  );
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  return (
    <SelectField
      label="Audience"
      required
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))
      }
    >
      <option value="">{data?.length === 0 ? 'No audiences yet' : 'Choose an audience'}</option>
      {data?.map(({ audience_id, name }) => (
        <option key={audience_id} value={audience_id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
