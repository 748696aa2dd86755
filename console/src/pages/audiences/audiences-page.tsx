import { useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../../api/session.tsx';
import { useLive } from '../../api/use-live.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { TextField } from '../../parts/field.tsx';
import { ListPages, usePages } from '../../parts/list-pages.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { LiveMark } from '../imports/live-mark.tsx';
import type { ListedAudience } from './audience.ts';
import { AudiencesTable } from './audiences-table.tsx';
import { FirstAudience } from './first-audience.tsx';
import { NewAudienceDialog } from './new-audience-dialog.tsx';
import '../imports/imports.css';
import './audiences.css';

const pageSize = 100;
const typingPauseMs = 250;

export function AudiencesPage() {
  const { kind } = useSession();
  const [, navigate] = useLocation();
  const [search, setSearch] = useState('');
  const [isDialogOpen, setDialogOpen] = useState(false);
  const wanted = useSettled(search.trim(), typingPauseMs);
  const pages = usePages<string>(wanted);
  const { data, connection, problem } = useLive<{ readonly audiences: readonly ListedAudience[] }>(
    listPath(wanted, pages.after),
    'audiences',
  );
  const audiences = data?.audiences.slice(0, pageSize);
  const hasMore = data !== undefined && data.audiences.length > pageSize;
  const hasNone = audiences?.length === 0 && wanted === '' && search === '' && pages.isFirst;

  return (
    <Page
      title="Audiences"
      subtitle="Most recently active first."
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
          <ListPages
            pages={pages}
            next={hasMore ? audiences.at(-1)?.cursor : undefined}
            backLabel="Newer"
            nextLabel="Older"
          />
        </Panel>
      )}
      {isDialogOpen && (
        <NewAudienceDialog onCreated={navigate} onClose={() => setDialogOpen(false)} />
      )}
    </Page>
  );
}

/** One more than a page shows whether there is a next one. */
function listPath(search: string, after: string | undefined): string {
  const query = { limit: String(pageSize + 1), search, ...(after && { after }) };
  return `/v1/console/audiences?${new URLSearchParams(query)}`;
}
