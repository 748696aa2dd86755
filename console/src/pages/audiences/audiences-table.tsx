import { Link } from 'wouter';
import { useSession } from '../../api/session.tsx';
import { ShareBar } from '../../parts/bars.tsx';
import { countColumn, DataTable, timeColumn } from '../../parts/data-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { audienceAddress } from '../imports/jobs.ts';
import { stateOf } from '../imports/status.ts';
import { type ListedAudience, reportAddress } from './audience.ts';
import { matchRate, ownersOf, stateWord } from './audience-words.ts';

/** Columns and rows have fixed sizes, so live updates move nothing. */
export function AudiencesTable({ audiences }: { readonly audiences: readonly ListedAudience[] }) {
  return (
    <DataTable
      label="Table of audiences"
      className="live-table card-rows audiences"
      rows={audiences}
      keyOf={({ audience_id }) => audience_id}
      columns={[
        { label: 'Audience', cell: (audience) => <AudienceName audience={audience} /> },
        {
          label: 'Status',
          cell: (audience) => <StateBadge state={stateOf(audience)} word={stateWord(audience)} />,
        },
        countColumn('Uploaded', 'uploaded_devices'),
        countColumn('Unique', 'unique_devices'),
        countColumn('Matched', 'matched_devices'),
        { label: 'Match rate', cell: (audience) => <MatchRate audience={audience} /> },
        timeColumn('Updated', 'updated_at'),
        {
          label: 'Report',
          isLabelHidden: true,
          cell: (audience) => (
            <Link href={reportAddress(audience)}>
              Report <span className="visually-hidden">on {audience.name}</span>
            </Link>
          ),
        },
      ]}
    />
  );
}

function AudienceName({ audience }: { readonly audience: ListedAudience }) {
  const { kind } = useSession();
  const { audience_id, name } = audience;
  return (
    <>
      <Link className="job-line" href={audienceAddress(audience_id)} title={name}>
        <bdi>{name}</bdi>
      </Link>
      <span className="job-line muted">
        <bdi>{ownersOf(audience, kind)}</bdi>
      </span>
    </>
  );
}

export function MatchRate({ audience }: { readonly audience: Parameters<typeof matchRate>[0] }) {
  const share = matchRate(audience);
  return share === null ? (
    <span className="muted">No devices</span>
  ) : (
    <ShareBar share={share} label="Match rate" />
  );
}
