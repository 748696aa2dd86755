import { count, percent } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { funnelOf } from './funnel.ts';
import { Provenance } from './provenance.tsx';
import type { Report } from './report.ts';
import { Term } from './term.tsx';

/** How many devices were uploaded, are unique and are matched. */
export function ReachPanel({ report }: { report: Report }) {
  const { audience, composition } = report;
  const { steps, matchRate } = funnelOf(audience);
  return (
    <Panel title="Reach">
      <div className="reach">
        <dl className="funnel">
          {steps.map(({ name, meaning, devices, share }) => (
            <div key={name} className="funnel-step">
              <dt>
                <Term word={name} meaning={meaning} />
              </dt>
              <dd>
                <span className="funnel-track" aria-hidden="true">
                  <span className="funnel-fill" style={{ inlineSize: `${share * 100}%` }} />
                </span>
                <span className="funnel-number">{count(devices)}</span>
              </dd>
            </div>
          ))}
        </dl>
        <p className="match-rate">
          <strong>{matchRate === null ? '–' : percent(matchRate)}</strong>
          <span className="muted">match rate</span>
        </p>
      </div>
      {composition && <Provenance composition={composition} />}
      {!composition && (
        <p className="provenance">
          Last changed <Moment at={audience.updated_at} />.
        </p>
      )}
    </Panel>
  );
}
