import { count } from '../../parts/format.ts';
import { type Attribute, isDescribed, type Standing } from './attribute.ts';
import { type Baseline, baselineWords } from './baseline.ts';
import { StandingMark } from './standing-mark.tsx';

/** The markers of the plot, with the number of attributes for each. */
export function Legend({
  attributes,
  baseline,
}: {
  attributes: readonly Attribute[];
  baseline: Baseline;
}) {
  const number = (wanted: Standing) =>
    count(attributes.filter(({ standing }) => standing === wanted).length);
  const withheld = attributes.filter((attribute) => !isDescribed(attribute)).length;
  return (
    <ul className="legend" aria-label="Legend">
      <li>
        <StandingMark standing="over" isNamed={false} /> over-indexing ({number('over')})
      </li>
      <li>
        <StandingMark standing="under" isNamed={false} /> under-indexing ({number('under')})
      </li>
      <li>
        <StandingMark standing="level" isNamed={false} /> no significant difference (
        {number('level')})
      </li>
      <li>
        <svg
          className="legend-baseline"
          viewBox="0 0 12 12"
          width="12"
          height="12"
          aria-hidden="true"
        >
          <path d="M6 0v12" />
        </svg>
        baseline ({baselineWords(baseline)})
      </li>
      {withheld > 0 && (
        <li>
          <StandingMark standing="withheld" isNamed={false} /> not shown ({count(withheld)})
        </li>
      )}
    </ul>
  );
}
