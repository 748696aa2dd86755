import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { SelectField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RequestLine } from '../../parts/request-line.tsx';
import type { Composition } from './attribute.ts';
import { comparableAudiences } from './baseline.ts';
import type { Report } from './report.ts';
import { plainView } from './view.ts';

/** The choice of what the audience is compared with. */
export function BaselinePanel({
  report: { audience, composition, baselineProblem },
  choice,
  onChoose,
}: {
  report: Report & { readonly composition: Composition };
  choice: string;
  onChoose: (baseline: string) => void;
}) {
  const api = useApi();
  const { data: listed = [] } = useAnswer(() => answerOf(api.GET('/v1/console/audiences')), [api]);
  const audiences = comparableAudiences(listed, audience);
  const options = [
    plainView.baseline,
    ...composition.suppliers.map(({ partner_id }) => `partner:${partner_id}`),
    ...audiences.map(({ audience_id }) => `audience:${audience_id}`),
  ];
  return (
    <Panel title="Baseline">
      <div className="baseline-choice">
        <SelectField
          label="Compare with"
          value={choice}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        >
          <option value={plainView.baseline}>All devices of the marketplace</option>
          <optgroup label="Devices known to a supplier">
            {composition.suppliers.map(({ partner_id, name }) => (
              <option key={partner_id} value={`partner:${partner_id}`}>
                {name}
              </option>
            ))}
          </optgroup>
          {audiences.length > 0 && (
            <optgroup label="Another audience">
              {audiences.map(({ audience_id, name }) => (
                <option key={audience_id} value={`audience:${audience_id}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
          {!options.includes(choice) && <option value={choice}>{choice}</option>}
        </SelectField>
        <p className="muted">
          If a supplier knows many devices of this audience, all of its attributes look common among
          them. Compare with the devices known to that supplier to correct for that.
        </p>
      </div>
      {baselineProblem && (
        <>
          <p role="status" className="baseline-problem">
            {baselineProblem.detail} The report below compares with all devices.
          </p>
          {baselineProblem.code !== 'not_computed_yet' && (
            <RequestLine requestId={baselineProblem.requestId} />
          )}
        </>
      )}
    </Panel>
  );
}
