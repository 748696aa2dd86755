import { Link } from 'wouter';
import { type Column, DataTable, timeColumn } from '../../parts/data-table.tsx';
import { counted } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { jobsPath } from '../jobs/job-filter.ts';
import { type TroubledPartner, troubledPartners, troubleRule } from './lanes.ts';
import type { Status } from './wire.ts';

const columns: readonly Column<TroubledPartner>[] = [
  {
    label: 'Partner',
    className: 'operator-name',
    cell: ({ partner_id, name }) => (
      <Link href={`/console/operator/partners/${partner_id}`}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  { label: 'Problem', cell: (partner) => <Problem partner={partner} /> },
  timeColumn('Last failure', 'last_failed_at', 'wide-only'),
];

/** The partners with problems, and links to their failed jobs. */
export function TroublePanel({ status }: { readonly status: Status }) {
  const troubled = troubledPartners(status);
  return (
    <Panel title="Partners with problems">
      <p className="operator-rule muted">
        {troubled.length === 0 && 'None. '}
        {troubleRule}
      </p>
      {troubled.length > 0 && (
        <DataTable
          label="Table of partners with problems"
          rows={troubled}
          keyOf={({ partner_id }) => partner_id}
          columns={columns}
        />
      )}
    </Panel>
  );
}

function Problem({ partner }: { readonly partner: TroubledPartner }) {
  const { partner_id, name, failed_jobs, trouble } = partner;
  const failed = counted(failed_jobs, 'failed job', 'failed jobs');
  return (
    <span className="operator-problems">
      {failed_jobs > 0 && (
        <Link
          aria-label={`${failed} of ${name}`}
          href={jobsPath({ partner_id: String(partner_id), state: 'failed' })}
        >
          {failed}
        </Link>
      )}
      {trouble === 'stuck' && <StateBadge state="failed" word="Stuck" />}
      {trouble === 'slow' && <StateBadge state="pending" word="Slow" />}
    </span>
  );
}
