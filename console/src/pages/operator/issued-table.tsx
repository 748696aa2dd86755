import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { timeColumn } from '../../parts/data-table.tsx';
import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { SearchTable } from './search-table.tsx';

/** A key, credential or token without its secret. */
export interface Issued {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** Null: never. Undefined: this kind does not expire. */
  readonly expiresAt?: string | null;
  readonly revokedAt: string | null;
}

export interface IssuedTableProps {
  readonly things: string;
  readonly nameHeading: string;
  readonly issued: readonly Issued[];
  readonly isCode: boolean;
  /** Names one of them in its button: "API key nightly". */
  named(issued: Issued): string;
  onRevoke(issued: Issued): void;
}

/** Lists those in force. Revoked ones stay on record and are shown on demand. */
export function IssuedTable(props: IssuedTableProps) {
  const { things, nameHeading, issued, isCode, onRevoke } = props;
  const [showsRevoked, setShowsRevoked] = useState(false);
  const revoked = issued.filter(({ revokedAt }) => revokedAt !== null);
  const inForce = issued.filter(({ revokedAt }) => revokedAt === null);
  const listed = showsRevoked ? [...inForce, ...revoked] : inForce;
  const hasExpiry = issued.some(({ expiresAt }) => expiresAt !== undefined);
  return (
    <>
      {listed.length > 0 && (
        <SearchTable
          label={`Table of ${things}`}
          searchLabel={`Search ${things}`}
          textsOf={({ id, name }) => [id, name]}
          rows={listed}
          keyOf={({ id }) => id}
          classOf={({ revokedAt }) => (revokedAt === null ? '' : 'operator-revoked')}
          columns={[
            {
              label: nameHeading,
              className: 'operator-name',
              cell: ({ name }) => (isCode ? <code>{name}</code> : <bdi>{name}</bdi>),
            },
            timeColumn('Created', 'createdAt', 'wide-only'),
            timeColumn('Last used', 'lastUsedAt'),
            ...(hasExpiry ? [timeColumn('Expires', 'expiresAt')] : []),
          ]}
          actions={(each) =>
            each.revokedAt === null ? (
              <Button aria-label={`Revoke ${props.named(each)}`} onClick={() => onRevoke(each)}>
                Revoke
              </Button>
            ) : (
              <span className="muted">
                revoked <Moment at={each.revokedAt} />
              </span>
            )
          }
        />
      )}
      {revoked.length > 0 && (
        <p className="operator-rest">
          <Button aria-expanded={showsRevoked} onClick={() => setShowsRevoked(!showsRevoked)}>
            {showsRevoked ? 'Hide' : 'Show'} {count(revoked.length)} revoked
          </Button>
        </p>
      )}
    </>
  );
}
