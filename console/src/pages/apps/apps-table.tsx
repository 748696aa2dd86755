import type { Ref } from 'react';
import type { ConnectedApp } from '../../api/wire.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { TableScroll } from '../../parts/table-scroll.tsx';

export const listLabel = 'Apps that act for you';

export interface AppsTableProps {
  readonly ref: Ref<HTMLElement>;
  readonly apps: readonly ConnectedApp[];
  onStop(app: ConnectedApp): void;
}

export function AppsTable({ ref, apps, onStop }: AppsTableProps) {
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
          {apps.map((app) => (
            <tr key={app.client_id}>
              <th scope="row" className="apps-cell">
                <bdi>{app.app_name}</bdi>
              </th>
              <td className="apps-cell">
                <bdi>{app.partner_name}</bdi>
              </td>
              <td>
                <Moment at={app.allowed_at} />
              </td>
              <td>
                {app.last_used_at === null ? (
                  <span className="muted">never</span>
                ) : (
                  <Moment at={app.last_used_at} />
                )}
              </td>
              <td>
                <Moment at={app.expires_at} />
              </td>
              <td className="num apps-stop">
                <Button
                  kind="danger"
                  aria-label={`Stop ${app.app_name}`}
                  onClick={() => onStop(app)}
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
