import { Link } from 'wouter';
import { useSession } from '../../api/session.tsx';
import { ShareBar } from '../../parts/bars.tsx';
import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { audienceAddress } from '../imports/jobs.ts';
import { stateOf } from '../imports/status.ts';
import { type ListedAudience, reportAddress } from './audience.ts';
import { matchRate, ownersOf, stateWord } from './audience-words.ts';

/** Columns and rows have fixed sizes: what is live must not move. */
export function AudiencesTable({ audiences }: { readonly audiences: readonly ListedAudience[] }) {
  const { kind } = useSession();
  return (
    <div className="data-scroll">
      <table className="data live-table card-rows audiences">
        <thead>
          <tr>
            <th scope="col">Audience</th>
            <th scope="col">Status</th>
            <th scope="col" className="num">
              Uploaded
            </th>
            <th scope="col" className="num">
              Unique
            </th>
            <th scope="col" className="num">
              Matched
            </th>
            <th scope="col">Match rate</th>
            <th scope="col">Updated</th>
            <th scope="col">
              <span className="visually-hidden">Report</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {audiences.map((audience) => (
            <tr key={audience.audience_id}>
              <th scope="row" className="audience-name">
                <Link
                  className="job-line"
                  href={audienceAddress(audience.audience_id)}
                  title={audience.name}
                >
                  <bdi>{audience.name}</bdi>
                </Link>
                <span className="job-line muted">
                  <bdi>{ownersOf(audience, kind)}</bdi>
                </span>
              </th>
              <td className="audience-state">
                <StateBadge state={stateOf(audience)} word={stateWord(audience)} />
              </td>
              <td className="num" data-label="Uploaded">
                {count(audience.uploaded_devices)}
              </td>
              <td className="num" data-label="Unique">
                {count(audience.unique_devices)}
              </td>
              <td className="num" data-label="Matched">
                {count(audience.matched_devices)}
              </td>
              <td className="audience-rate">
                <MatchRate audience={audience} />
              </td>
              <td className="audience-updated">
                <Moment at={audience.updated_at} />
              </td>
              <td className="audience-report">
                <Link href={reportAddress(audience)}>
                  Report <span className="visually-hidden">on {audience.name}</span>
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
