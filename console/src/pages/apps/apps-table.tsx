import type { Ref } from 'react';
import type { OwnGrant } from '../../api/wire.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { TableScroll } from '../../parts/table-scroll.tsx';

export const listLabel = 'Apps that act for you';

export interface AppsTableProps {
  readonly ref: Ref<HTMLElement>;
  readonly grants: readonly OwnGrant[];
  onStop(grant: OwnGrant): void;
}

export function AppsTable({ ref, grants, onStop }: AppsTableProps) {
  return (
    <TableScroll label={listLabel} ref={ref}>
      <table className="data">
        <thead>
          <tr>
            <th scope="col">App</th>
            <th scope="col">Partner</th>
            <th scope="col">Allowed</th>
            <th scope="col">Last used</th>
            <th scope="col">Ends unless renewed</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {grants.map((grant) => (
            <tr key={grant.grant_id}>
              <th scope="row" className="apps-cell">
                <bdi>{grant.app_name}</bdi>
              </th>
              <td className="apps-cell">
                <bdi>{grant.partner_name}</bdi>
              </td>
              <td>
                <Moment at={grant.created_at} />
              </td>
              <td>
                {grant.last_used_at === null ? (
                  <span className="muted">never</span>
                ) : (
                  <Moment at={grant.last_used_at} />
                )}
              </td>
              <td>
                <Moment at={grant.expires_at} />
              </td>
              <td className="num apps-stop">
                <Button
                  kind="danger"
                  aria-label={`Stop ${grant.app_name}`}
                  onClick={() => onStop(grant)}
                >
                  Stop
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}
