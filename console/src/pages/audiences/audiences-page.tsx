import { useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../../api/session.tsx';
import { useLive } from '../../api/use-live.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { TextField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { LiveMark } from '../imports/live-mark.tsx';
import type { ListedAudience } from './audience.ts';
import { AudiencesTable } from './audiences-table.tsx';
import { FirstAudience } from './first-audience.tsx';
import { NewAudienceDialog } from './new-audience-dialog.tsx';
import { useSettled } from './use-settled.ts';
import '../imports/imports.css';
import './audiences.css';

const listLimit = 100;
const typingPauseMs = 250;

export function AudiencesPage() {
  const { kind } = useSession();
  const [, navigate] = useLocation();
  const [search, setSearch] = useState('');
  const [isDialogOpen, setDialogOpen] = useState(false);
  const wanted = useSettled(search.trim(), typingPauseMs);
  const { data, connection, problem } = useLive<{ readonly audiences: readonly ListedAudience[] }>(
    `/v1/console/audiences?${new URLSearchParams({ limit: String(listLimit), search: wanted })}`,
    'audiences',
  );
  const audiences = data?.audiences;
  const hasNone = audiences?.length === 0 && wanted === '' && search === '';

  return (
    <Page
      title="Audiences"
      subtitle={subtitleOf(audiences)}
      actions={
        kind === 'partner' && (
          <Button kind="primary" onClick={() => setDialogOpen(true)}>
            New audience
          </Button>
        )
      }
    >
      <ProblemNote problem={problem} />
      {hasNone && (
        <Panel>
          <FirstAudience />
        </Panel>
      )}
      {audiences !== undefined && !hasNone && (
        <Panel>
          <div className="list-tools">
            <TextField
              label="Search by name"
              type="search"
              maxLength={255}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
            <LiveMark connection={connection} />
          </div>
          {audiences.length === 0 ? (
            <EmptyState title="No matching audiences" />
          ) : (
            <AudiencesTable audiences={audiences} />
          )}
        </Panel>
      )}
      {isDialogOpen && (
        <NewAudienceDialog onCreated={navigate} onClose={() => setDialogOpen(false)} />
      )}
    </Page>
  );
}

function subtitleOf(audiences: readonly unknown[] | undefined): string {
  return audiences?.length === listLimit
    ? `The ${listLimit} most recently active. Search to find others.`
    : 'Most recently active first.';
}
