import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { ListTable } from './list-table.tsx';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';

/** A key, credential or token, of which only the secret is not known. */
export interface Issued {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** Null: never. Undefined: its kind does not expire. */
  readonly expiresAt?: string | null;
  readonly revokedAt: string | null;
}

export interface IssuedTableProps {
  /** Of what kind they are, in the plural. */
  readonly what: string;
  readonly nameHeading: string;
  readonly issued: readonly Issued[];
  readonly isCode?: boolean;
  onRevoke(issued: Issued): void;
}

/** Those in force; the revoked ones are kept on record and shown when asked for. */
export function IssuedTable(props: IssuedTableProps) {
  const { what, nameHeading, issued, isCode = false, onRevoke } = props;
  const [isWhole, setWhole] = useState(false);
  const inForce = issued.filter(({ revokedAt }) => revokedAt === null);
  const revoked = issued.length - inForce.length;
  const listed = isWhole ? [...inForce, ...issued.filter((each) => each.revokedAt)] : inForce;
  const search = useSearch(listed, ({ id, name }) => [id, name]);
  const hasExpiry = issued.some(({ expiresAt }) => expiresAt !== undefined);
  return (
    <>
      <SearchBar label={`Search ${what}`} search={search} />
      {listed.length > 0 && (
        <ListTable
          caption={what}
          columns={[
            nameHeading,
            { label: 'Created', isWide: true },
            'Last used',
            ...(hasExpiry ? ['Expires'] : []),
          ]}
          hasActions
        >
          {search.shown.map((each) => (
            <tr key={each.id} className={each.revokedAt === null ? '' : 'operator-revoked'}>
              <th scope="row" className="operator-name">
                {isCode ? <code>{each.name}</code> : <bdi>{each.name}</bdi>}
              </th>
              <td className="operator-wide">
                <Moment at={each.createdAt} />
              </td>
              <td>{each.lastUsedAt === null ? 'never' : <Moment at={each.lastUsedAt} />}</td>
              {hasExpiry && <td>{each.expiresAt ? <Moment at={each.expiresAt} /> : 'never'}</td>}
              <td className="operator-row-actions">
                <RevokeCell issued={each} onRevoke={onRevoke} />
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      {listed.length > 0 && <SearchRest search={search} />}
      {revoked > 0 && (
        <p className="operator-rest">
          <Button aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Hide' : 'Show'} {count(revoked)} revoked
          </Button>
        </p>
      )}
    </>
  );
}

function RevokeCell({
  issued,
  onRevoke,
}: { issued: Issued } & Pick<IssuedTableProps, 'onRevoke'>): ReactNode {
  if (issued.revokedAt !== null) {
    return (
      <span className="muted">
        revoked <Moment at={issued.revokedAt} />
      </span>
    );
  }
  return (
    <Button aria-label={`Revoke ${issued.name}`} onClick={() => onRevoke(issued)}>
      Revoke
    </Button>
  );
}
