import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';

/** What a partner reaches the service with. Only the operator creates and revokes it. */
export function OwnAccess() {
  const api = useApi();
  const { data, problem } = useAnswer(() => answerOf(api.GET('/v1/console/access')), [api]);
  if (data === undefined) return <ProblemNote problem={problem} />;
  const { api_keys, storage_credentials, apps } = data;
  return (
    <>
      <Panel title="API keys">
        <p className="muted">
          The operator creates and revokes keys. If a key may have leaked, ask the operator to
          revoke it, and quote the part shown here.
        </p>
        <DataTable
          label="Table of API keys"
          className="card-rows"
          rows={api_keys}
          keyOf={({ api_key_id }) => api_key_id}
          columns={[
            {
              label: 'Key',
              className: 'wide',
              cell: ({ prefix }) => <code className="own-key">{prefix}_…</code>,
            },
            {
              label: 'Label',
              className: 'wide',
              isCardLabelled: true,
              cell: ({ label, is_current }) => (
                <>
                  {label === '' ? <span className="muted">none</span> : <bdi>{label}</bdi>}
                  {is_current && <span className="muted"> (this session)</span>}
                </>
              ),
            },
            { ...timeColumn('Created', 'created_at'), isCardLabelled: true },
            { ...timeColumn('Last used', 'last_used_at'), isCardLabelled: true },
          ]}
        />
      </Panel>
      <Panel title="Storage credentials">
        <p className="muted">
          {storage_credentials.length === 0
            ? 'None. You can upload in this console. To upload with an S3 client, ask the operator for credentials.'
            : 'S3 clients upload with these. The operator creates and revokes them.'}
        </p>
        {storage_credentials.length > 0 && (
          <DataTable
            label="Table of storage credentials"
            className="card-rows"
            rows={storage_credentials}
            keyOf={({ accessKeyId }) => accessKeyId}
            columns={[
              {
                label: 'Access key ID',
                className: 'wide',
                cell: ({ accessKeyId }) => <code className="own-key">{accessKeyId}</code>,
              },
              { ...timeColumn('Created', 'created_at'), isCardLabelled: true },
              { ...timeColumn('Last used', 'last_used_at'), isCardLabelled: true },
            ]}
          />
        )}
      </Panel>
      <Panel title="Apps">
        <p className="muted">
          {apps.length === 0
            ? 'None. Apps act for those users of customers who allow them. The operator creates apps.'
            : 'Apps act for those users of customers who allow them. The operator manages apps.'}
        </p>
        {apps.length > 0 && (
          <DataTable
            label="Table of apps"
            className="card-rows"
            rows={apps}
            keyOf={({ client_id }) => client_id}
            columns={[
              { label: 'App', className: 'wide', cell: ({ name }) => <bdi>{name}</bdi> },
              {
                label: 'Client ID',
                className: 'wide',
                cell: ({ client_id }) => <code className="own-key">{client_id}</code>,
              },
              {
                label: 'State',
                cell: ({ is_disabled }) => (
                  <StateBadge
                    state={is_disabled ? 'cancelled' : 'done'}
                    word={is_disabled ? 'Disabled' : 'Enabled'}
                  />
                ),
              },
              { ...timeColumn('Created', 'created_at'), isCardLabelled: true },
            ]}
          />
        )}
      </Panel>
    </>
  );
}
