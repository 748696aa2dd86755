import { Button } from '../../parts/button.tsx';
import { CopyableCode } from '../../parts/copyable-code.tsx';
import { Moment } from '../../parts/moment.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { kindWords } from './app-kinds.ts';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';
import type { App } from './wire.ts';

export type AppAction = 'change' | 'secret' | 'disable' | 'enable' | 'remove';

const actionWords: Readonly<Record<AppAction, string>> = {
  change: 'Change',
  secret: 'New secret',
  disable: 'Disable',
  enable: 'Enable',
  remove: 'Remove',
};

export interface AppListProps {
  readonly apps: readonly App[];
  onAction(action: AppAction, app: App): void;
}

/** A list, not a table: addresses and IDs are long, and a partner has few apps. */
export function AppList({ apps, onAction }: AppListProps) {
  const search = useSearch(apps, ({ name, client_id, redirect_uris }) => [
    name,
    client_id,
    ...redirect_uris,
  ]);
  return (
    <>
      <SearchBar label="Search apps" search={search} />
      <ul className="operator-apps">
        {search.shown.map((app) => (
          <li key={app.client_id}>
            <div className="operator-app-head">
              <h3>
                <bdi>{app.name}</bdi>
                {app.is_disabled && <StateBadge state="cancelled" word="Disabled" />}
              </h3>
              <div className="actions operator-app-actions">
                {actionsOf(app).map((action) => (
                  <Button
                    key={action}
                    aria-label={`${actionWords[action]}: ${app.name}`}
                    onClick={() => onAction(action, app)}
                  >
                    {actionWords[action]}
                  </Button>
                ))}
              </div>
            </div>
            <AppFacts app={app} />
          </li>
        ))}
      </ul>
      <SearchRest search={search} />
    </>
  );
}

function actionsOf({ kind, is_disabled }: App): AppAction[] {
  return [
    'change',
    ...(kind === 'confidential' ? (['secret'] as const) : []),
    is_disabled ? 'enable' : 'disable',
    'remove',
  ];
}

function AppFacts({ app }: { readonly app: App }) {
  const { label, meaning } = kindWords[app.kind];
  return (
    <dl className="operator-app-facts">
      <dt>Client ID</dt>
      <dd>
        <CopyableCode text={app.client_id} what={`the client ID of ${app.name}`} />
      </dd>
      <dt>Kind</dt>
      <dd>
        {label}. <span className="muted">{meaning}</span>
      </dd>
      <dt>Redirect URIs</dt>
      <dd>
        <ul>
          {app.redirect_uris.map((address) => (
            <li key={address}>
              <code>{address}</code>
            </li>
          ))}
        </ul>
      </dd>
      <dt>Created</dt>
      <dd>
        <Moment at={app.created_at} />
      </dd>
    </dl>
  );
}
