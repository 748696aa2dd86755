import { useMemo } from 'react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/panel.tsx';
import { HistoryPanel } from '../history/history-panel.tsx';
import { readAttributes } from './attribute.ts';
import { AttributesSection } from './attributes-section.tsx';
import { Deferred } from './deferred.tsx';
import { emptyReportOf } from './empty-report.ts';
import { EventsPanel } from './events-panel.tsx';
import { findingsOf } from './findings.ts';
import { FindingsPanel } from './findings-panel.tsx';
import { ReachPanel } from './reach-panel.tsx';
import type { Report } from './report.ts';
import { ReportMethod } from './report-method.tsx';

/** About the height of a few labels; nothing is below. */
const eventsHeight = 320;

export function ReportBody({ report }: { report: Report }) {
  const { composition, history } = report;
  const attributes = useMemo(() => (composition ? readAttributes(composition) : []), [composition]);
  const findings = useMemo(() => findingsOf(attributes), [attributes]);
  const empty = emptyReportOf(report);
  return (
    <>
      <div className="report-top">
        <ReachPanel report={report} />
        {!empty && <FindingsPanel findings={findings} />}
      </div>
      {(composition || history.length > 0) && <HistoryPanel changes={history} />}
      {empty ? (
        <Panel>
          <EmptyState title={empty.title}>
            <p>{empty.detail}</p>
          </EmptyState>
        </Panel>
      ) : (
        <AttributesSection attributes={attributes} />
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
