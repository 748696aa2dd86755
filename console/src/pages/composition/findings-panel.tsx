import { Panel } from '../../parts/panel.tsx';
import type { DescribedAttribute } from './attribute.ts';
import { AttributeName } from './attribute-name.tsx';
import { type Baseline, baselineWords } from './baseline.ts';
import { shareText, timesText } from './figures.ts';
import { type Findings, nothingStandsOut } from './findings.ts';
import { StandingMark } from './standing-mark.tsx';

/** The report in at most six lines. */
export function FindingsPanel({ findings, baseline }: { findings: Findings; baseline: Baseline }) {
  const { over, under } = findings;
  const words = baselineWords(baseline);
  return (
    <Panel title="What stands out">
      {over.length + under.length === 0 ? (
        <p className="muted">{nothingStandsOut(findings)}</p>
      ) : (
        <div className="findings">
          <FindingList title="More common than in the baseline" attributes={over} of={words} />
          <FindingList title="Less common than in the baseline" attributes={under} of={words} />
        </div>
      )}
    </Panel>
  );
}

function FindingList({
  title,
  attributes,
  of,
}: {
  title: string;
  attributes: readonly DescribedAttribute[];
  of: string;
}) {
  if (attributes.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ol>
        {attributes.map((attribute) => (
          <li key={attribute.id} className={`finding finding-${attribute.standing}`}>
            <span className="finding-times">
              <StandingMark standing={attribute.standing} isNamed={false} />
              {timesText(attribute.index)}
            </span>
            <span className="finding-words">
              <AttributeName attribute={attribute} />
              <span className="muted">
                {shareText(attribute.audienceShare)} vs. {shareText(attribute.baselineShare)} of{' '}
                {of}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
