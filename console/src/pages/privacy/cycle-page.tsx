import { useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { countColumn, DataTable, timeColumn } from '../../parts/data-table.tsx';
import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import '../operator/operator.css';
import './privacy.css';
import { badgeOfCycle, type DropEvidence, reportInWords } from './drop-cycle.ts';

/** The evidence of one archive of DROP. */
export function DropCyclePage() {
  const api = useApi();
  const { cycleId = '' } = useParams<{ cycleId: string }>();
  const params = { path: { cycle_id: cycleId } };
  const cycle = useAnswer(
    () => answerOf(api.GET('/admin/v1/privacy/cycles/{cycle_id}', { params })),
    [cycleId],
  );
  return (
    <Page
      title={cycle.data?.archive_name ?? `Cycle ${cycleId}`}
      actions={<ButtonLink href="/console/operator/privacy/drop">All archives</ButtonLink>}
    >
      <ProblemNote problem={cycle.problem} />
      {cycle.data && <Evidence cycle={cycle.data} />}
    </Page>
  );
}

function Evidence({ cycle }: { readonly cycle: DropEvidence }) {
  return (
    <>
      <Summary cycle={cycle} />
      {cycle.lists.length > 0 && <Lists lists={cycle.lists} />}
      {cycle.files.length > 0 && <Files files={cycle.files} />}
      {cycle.calls.length > 0 && <Calls calls={cycle.calls} />}
    </>
  );
}

const steps = [
  ['Downloaded', 'downloaded_at'],
  ['Kept out since', 'suppressed_at'],
  ['Compared with everything', 'matched_at'],
  ['Removed', 'removed_at'],
  ['Bytes gone from disk', 'deleted_at'],
  ['Answer written', 'answered_at'],
  ['Ended', 'ended_at'],
] as const;

function Summary({ cycle }: { readonly cycle: DropEvidence }) {
  return (
    <Panel>
      <p className="privacy-state">
        <StateBadge {...badgeOfCycle(cycle)} />
      </p>
      <dl className="operator-facts">
        {cycle.problem !== null && (
          <>
            <dt>Problem</dt>
            <dd className="operator-bad">
              <bdi>{cycle.problem}</bdi>
            </dd>
          </>
        )}
        <dt>SHA-256</dt>
        <dd className="privacy-reference">{cycle.archive_sha256}</dd>
        <dt>Items</dt>
        <dd>{count(cycle.items)}</dd>
        <dt>Reported</dt>
        <dd>{reportInWords(cycle)}</dd>
        <dt>Withdrawn</dt>
        <dd>{count(cycle.lifted)} suppressions lifted</dd>
        {steps.map(([label, key]) => (
          <Step key={key} label={label} at={cycle[key]} />
        ))}
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

const sha256Column = {
  label: 'SHA-256',
  className: 'wide-only privacy-reference',
  cell: ({ sha256 }: { readonly sha256: string }) => sha256,
};

function Lists({ lists }: { readonly lists: DropEvidence['lists'] }) {
  return (
    <Panel title="Lists received">
      <DataTable
        label="Table of lists"
        rows={lists}
        keyOf={({ file }) => file}
        columns={[
          { label: 'File', className: 'privacy-reference', cell: ({ file }) => <bdi>{file}</bdi> },
          countColumn('Rows', 'rows'),
          {
            label: 'Processed',
            cell: ({ is_refused }) => (is_refused ? 'no: not a list of devices' : 'yes'),
          },
          sha256Column,
        ]}
      />
    </Panel>
  );
}

function Files({ files }: { readonly files: DropEvidence['files'] }) {
  return (
    <Panel title="Files for DROP">
      <DataTable
        label="Table of files"
        rows={files}
        keyOf={({ name }) => name}
        columns={[
          { label: 'File', className: 'privacy-reference', cell: ({ name }) => <bdi>{name}</bdi> },
          { label: 'State', cell: ({ state }) => state },
          countColumn('Deleted', 'deleted'),
          countColumn('Not found', 'not_found'),
          timeColumn('Sent', 'sent_at'),
          {
            label: 'Answer',
            className: 'wide-only',
            cell: ({ answer }) => <bdi>{answer}</bdi>,
          },
          sha256Column,
        ]}
      />
    </Panel>
  );
}

function Calls({ calls }: { readonly calls: DropEvidence['calls'] }) {
  return (
    <Panel title="Calls">
      <DataTable
        label="Table of calls"
        rows={calls}
        keyOf={({ operation, first_at }) => `${operation} ${first_at}`}
        columns={[
          { label: 'Call', cell: ({ operation }) => operation },
          { label: 'Status', className: 'num', cell: ({ status }) => status ?? 'no answer' },
          countColumn('Times', 'calls'),
          timeColumn('Last', 'last_at'),
          {
            label: 'Answer',
            className: 'wide-only',
            cell: ({ message }) => <bdi>{message}</bdi>,
          },
        ]}
      />
    </Panel>
  );
}
