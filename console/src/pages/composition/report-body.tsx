import { useMemo } from 'react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/panel.tsx';
import { HistoryPanel } from '../history/history-panel.tsx';
import { readAttributes } from './attribute.ts';
import { AttributesSection } from './attributes-section.tsx';
import { BaselinePanel } from './baseline-panel.tsx';
import { Deferred } from './deferred.tsx';
import { emptyReportOf } from './empty-report.ts';
import { EventsPanel } from './events-panel.tsx';
import { findingsOf } from './findings.ts';
import { FindingsPanel } from './findings-panel.tsx';
import { ReachPanel } from './reach-panel.tsx';
import type { Report } from './report.ts';
import { ReportMethod } from './report-method.tsx';
import type { View } from './view.ts';

/** About the height of a few labels; nothing is below. */
const eventsHeight = 320;

export function ReportBody({
  report,
  view,
  onView,
}: {
  report: Report;
  view: View;
  onView: (view: View) => void;
}) {
  const { composition, history } = report;
  const attributes = useMemo(() => (composition ? readAttributes(composition) : []), [composition]);
  const findings = useMemo(() => findingsOf(attributes), [attributes]);
  const empty = emptyReportOf(report);
  return (
    <>
      <div className="report-top">
        <ReachPanel report={report} />
        {!empty && composition && (
          <FindingsPanel findings={findings} baseline={composition.baseline} />
        )}
      </div>
      {(composition || history.length > 0) && <HistoryPanel changes={history} />}
      {composition && (
        <BaselinePanel
          report={{ ...report, composition }}
          choice={view.baseline}
          onChoose={(baseline) => onView({ ...view, baseline })}
        />
      )}
      {empty && (
        <Panel>
          <EmptyState title={empty.title}>
            <p>{empty.detail}</p>
          </EmptyState>
        </Panel>
      )}
      {!empty && composition && (
        <AttributesSection
          attributes={attributes}
          baseline={composition.baseline}
          view={view}
          onView={onView}
        />
      )}
      {composition && composition.events.length > 0 && (
        <Deferred height={eventsHeight}>
          <EventsPanel events={composition.events} />
        </Deferred>
      )}
      {composition && <ReportMethod composition={composition} />}
    </>
  );
}
