import { useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { useEvery } from '../../api/use-every.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { counted } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import '../operator/operator.css';
import './privacy.css';
import {
  badgeOf,
  type Finding,
  foundInWords,
  kindWords,
  type PrivacyRequest,
  placesInWords,
} from './privacy-request.ts';

const requestPath = '/admin/v1/privacy/requests/{request_id}';
const findingsPath = `${requestPath}/findings` as const;
/** Not more often, because each refresh adds an entry to the audit log. */
const refreshSeconds = 10;

export function PrivacyRequestPage() {
  const api = useApi();
  const { requestId = '' } = useParams<{ requestId: string }>();
  const params = { path: { request_id: requestId } };
  const request = useAnswer(() => answerOf(api.GET(requestPath, { params })), [requestId]);
  const isOpen = request.data !== undefined && request.data.state !== 'done';
  const back = <ButtonLink href="/console/operator/privacy">All requests</ButtonLink>;
  if (!request.data) {
    return (
      <Page title={`Request ${requestId}`} actions={back}>
        <ProblemNote problem={request.problem} />
      </Page>
    );
  }
  const { kind, reference, state } = request.data;
  return (
    <Page
      title={`${kindWords[kind]} ${requestId}`}
      subtitle={<bdi>{reference}</bdi>}
      actions={back}
    >
      <ProblemNote problem={request.problem} />
      {isOpen && <Refresh reload={request.reload} />}
      <RequestSummary request={request.data} />
      {kind === 'access' && state === 'done' && <Findings requestId={requestId} />}
    </Page>
  );
}

function Refresh({ reload }: { reload(): void }) {
  useEvery(refreshSeconds, reload);
  return null;
}

function RequestSummary({ request }: { readonly request: PrivacyRequest }) {
  const { kind, counts } = request;
  const places = placesInWords(request);
  return (
    <Panel>
      <p className="privacy-state">
        <StateBadge {...badgeOf(request)} />
      </p>
      <dl className="operator-facts">
        <dt>Identifiers</dt>
        <dd>{foundInWords(request)}</dd>
        {places && (
          <>
            <dt>Held by</dt>
            <dd>{places}</dd>
          </>
        )}
        {counts && !counts.is_complete && (
          <>
            <dt>Not read</dt>
            <dd className="operator-bad">Damaged files. There may be more.</dd>
          </>
        )}
        <dt>Received</dt>
        <dd>
          <Moment at={request.received_at} />
        </dd>
        {kind === 'access' ? (
          <Step label="Answered" at={request.done_at} />
        ) : (
          <>
            <Step label="Kept out since" at={request.suppressed_at} />
            <Step label="Removed" at={request.removed_at} />
            <Step label="Bytes gone from disk" at={request.done_at} />
            <dt>Uploaded files</dt>
            <dd>
              <RawFiles request={request} />
            </dd>
          </>
        )}
      </dl>
    </Panel>
  );
}

function Step({ label, at }: { readonly label: string; readonly at: string | null }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{at === null ? <span className="muted">not yet</span> : <Moment at={at} />}</dd>
    </>
  );
}

function RawFiles({ request }: { readonly request: PrivacyRequest }) {
  const { raw_files_until: until, raw_files_kept_for_good: keptForGood } = request;
  if (keptForGood > 0) {
    return (
      <>
        May hold the devices: those of {counted(keptForGood, 'partner', 'partners')} are kept for
        good
      </>
    );
  }
  if (until === null) return <span className="muted">not known yet</span>;
  return (
    <>
      May hold the devices until <Moment at={until} />
    </>
  );
}

function Findings({ requestId }: { readonly requestId: string }) {
  const api = useApi();
  const params = { path: { request_id: requestId } };
  const findings = useAnswer(() => answerOf(api.GET(findingsPath, { params })), [requestId]);
  return (
    <Panel title="Held by">
      <ProblemNote problem={findings.problem} />
      {findings.data?.length === 0 && (
        <EmptyState title="Nothing">
          <p>No attribute or audience held the devices, or the answer is older than 30 days.</p>
        </EmptyState>
      )}
      {findings.data && findings.data.length > 0 && <FindingTable findings={findings.data} />}
    </Panel>
  );
}

function FindingTable({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <DataTable
      label="Table of findings"
      rows={findings}
      keyOf={({ finding_id }) => finding_id}
      columns={[
        { label: 'Name', className: 'privacy-reference', cell: ({ name }) => <bdi>{name}</bdi> },
        {
          label: 'What',
          cell: ({ attribute_id, audience_id }) =>
            attribute_id === null ? `Audience ${audience_id}` : `Attribute ${attribute_id}`,
        },
        { label: 'Partner', cell: ({ partner_name }) => <bdi>{partner_name}</bdi> },
        {
          label: 'Identifier',
          className: 'num wide-only',
          cell: ({ position, digest }) => <span title={`SHA-256 ${digest}`}>{position}</span>,
        },
        { label: 'Since', cell: (finding) => <Since finding={finding} /> },
      ]}
    />
  );
}

function Since({ finding: { held_since, is_exact } }: { readonly finding: Finding }) {
  if (held_since === null) return <span className="muted">unknown</span>;
  return (
    <>
      <Moment at={held_since} />
      {!is_exact && <span className="muted"> or earlier</span>}
    </>
  );
}
