import { useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ChangeAppDialog, NewAppDialog, NewSecretDialog } from './app-dialogs.tsx';
import { type AppAction, AppList } from './app-list.tsx';
import './apps.css';
import { grantsPath } from './grant-filter.ts';
import { useApps } from './use-apps.ts';
import type { App } from './wire.ts';

type Open =
  | { readonly what: 'new' }
  | { readonly what: Exclude<AppAction, 'enable'>; readonly app: App };

/** The apps with which the partner acts for users who allow it. */
export function AppsPanel({ partnerId }: { readonly partnerId: string }) {
  const apps = useApps(partnerId);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const enabling = useAction((app: App) => apps.change(app, { disabled: false }));

  function act(action: AppAction, app: App): void {
    if (action === 'enable') void enabling.run(app);
    else setOpen({ what: action, app });
  }

  return (
    <Panel
      title="Apps"
      actions={
        <>
          <ButtonLink
            aria-label="Grants of these apps"
            href={grantsPath({ partner_id: partnerId })}
          >
            Grants
          </ButtonLink>
          <Button onClick={() => setOpen({ what: 'new' })}>New app</Button>
        </>
      }
    >
      <ProblemNote problem={apps.problem ?? enabling.problem} />
      {apps.data?.length === 0 && (
        <EmptyState title="No apps yet">
          <p>With an app, the partner loads audiences for users who sign in and allow it.</p>
          <CopyCommand
            command={`tributary app create ${partnerId} --name "Audience Loader" --redirect-uri https://app.example.com/callback`}
          />
        </EmptyState>
      )}
      {apps.data && apps.data.length > 0 && <AppList apps={apps.data} onAction={act} />}
      {open?.what === 'new' && <NewAppDialog apps={apps} onClose={close} />}
      {open?.what === 'change' && <ChangeAppDialog apps={apps} app={open.app} onClose={close} />}
      {open?.what === 'secret' && <NewSecretDialog apps={apps} app={open.app} onClose={close} />}
      {open?.what === 'disable' && (
        <ConfirmDialog
          title="Disable this app?"
          confirmLabel="Disable the app"
          onConfirm={() => apps.change(open.app, { disabled: true })}
          onClose={close}
        >
          <p>
            The tokens of <bdi>{open.app.name}</bdi> stop working at once, and users cannot allow it
            again. When you enable it, tokens that have not expired work again.
          </p>
        </ConfirmDialog>
      )}
      {open?.what === 'remove' && (
        <ConfirmDialog
          title="Remove this app?"
          confirmLabel="Remove the app"
          onConfirm={() => apps.remove(open.app)}
          onClose={close}
        >
          <p>
            This deletes <bdi>{open.app.name}</bdi> with its client ID, its secret, its grants and
            all its tokens. The audiences stay. This cannot be undone; to stop an app for a while,
            disable it instead.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
