import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import './apps.css';
import { type GrantFilter, grantFilterIn, grantsPath } from './grant-filter.ts';
import { GrantFilterLine } from './grant-filter-line.tsx';
import { GrantTable } from './grant-table.tsx';
import './operator.css';
import { SigningKeysPanel } from './signing-keys-panel.tsx';
import { useGrants } from './use-grants.ts';
import type { Grant } from './wire.ts';

export function GrantsPage() {
  const [params] = useSearchParams();
  const filter = grantFilterIn(params);
  return (
    <Page title="Grants" subtitle="Partners’ apps that users allow to act for them.">
      <GrantsPanel key={grantsPath(filter)} filter={filter} />
      <SigningKeysPanel />
    </Page>
  );
}

function GrantsPanel({ filter }: { readonly filter: GrantFilter }) {
  const grants = useGrants(filter);
  const [open, setOpen] = useState<Grant>();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Panel title="Active grants">
      {isFiltered && <GrantFilterLine filter={filter} />}
      <ProblemNote problem={grants.problem} />
      {grants.listed?.length === 0 && !grants.hasMore && <NoGrants isFiltered={isFiltered} />}
      {grants.listed && grants.listed.length > 0 && (
        <GrantTable grants={grants.listed} onRevoke={setOpen} />
      )}
      <MoreButton pages={grants} />
      {open && (
        <ConfirmDialog
          title="Revoke this grant?"
          confirmLabel="Revoke the grant"
          onConfirm={() => grants.revoke(open)}
          onClose={() => setOpen(undefined)}
        >
          <p>
            <bdi>{open.app_name}</bdi> can no longer act for <bdi>{open.email}</bdi>: its tokens are
            refused from now on. The audiences stay. The user can allow the app again; to prevent
            that, disable the app.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function NoGrants({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="No matching grants">
      <p>No app was allowed, or the grants have been revoked or have expired.</p>
    </EmptyState>
  ) : (
    <EmptyState title="No grants yet">
      <p>
        A grant appears when a user allows a partner’s app. Register apps on the page of the
        partner.
      </p>
    </EmptyState>
  );
}
