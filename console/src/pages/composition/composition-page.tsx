import './composition.css';
import { useParams } from 'wouter';
import { ButtonLink } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { CsvButton } from './csv-button.tsx';
import { PrintButton } from './print-button.tsx';
import { ReportBody } from './report-body.tsx';
import { ReportSubtitle } from './report-subtitle.tsx';
import { useReport } from './use-report.ts';
import { useView } from './use-view.ts';

/** The composition report of an audience, reached by the link to its segment. */
export function CompositionPage() {
  const { segmentId = '' } = useParams<{ segmentId: string }>();
  return <SegmentReport key={segmentId} segmentId={segmentId} />;
}

function SegmentReport({ segmentId }: { segmentId: string }) {
  const [view, setView] = useView();
  const { data: report, problem } = useReport(segmentId, view.baseline);
  if (!report) {
    const back = <ButtonLink href="/console/audiences">All audiences</ButtonLink>;
    if (problem?.code === 'not_found') {
      return (
        <Page
          title="Audience not found"
          subtitle="The audience does not exist, or you don’t have access to it."
          actions={back}
        />
      );
    }
    return (
      <Page title="Composition" actions={problem && back}>
        {problem ? <ProblemNote problem={problem} /> : <p role="status">Loading the report…</p>}
      </Page>
    );
  }
  const { audience, composition } = report;
  return (
    <Page
      title={audience.name}
      subtitle={<ReportSubtitle audience={audience} />}
      actions={
        <>
          <ButtonLink href={`/console/audiences/${audience.audience_id}`}>
            Files and loads
          </ButtonLink>
          <ButtonLink href={`/console/compare?one=${audience.audience_id}`}>Compare</ButtonLink>
          {composition && <PrintButton />}
          {composition && (
            <CsvButton audienceName={audience.name} composition={composition} view={view} />
          )}
        </>
      }
    >
      <ProblemNote problem={problem} />
      <ReportBody report={report} view={view} onView={setView} />
    </Page>
  );
}
