import { useState } from 'react';
import { useParams } from 'wouter';
import { useSession } from '../../api/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ProblemList } from '../imports/problem-list.tsx';
import { RejectsLink } from '../imports/rejects-link.tsx';
import { AppendDialog } from './append-dialog.tsx';
import { reportAddress } from './audience.ts';
import { AudienceFiles } from './audience-files.tsx';
import { AudienceSummary } from './audience-summary.tsx';
import { ownersOf } from './audience-words.ts';
import { ClearDialog } from './clear-dialog.tsx';
import { LoadAgain } from './load-again.tsx';
import { useAudience, useOwners } from './use-audience.ts';
import '../imports/imports.css';
import './audiences.css';

export function AudiencePage() {
  const { audienceId = '' } = useParams<{ audienceId: string }>();
  const { kind } = useSession();
  const { audience, problems = [], progress, problem, reload } = useAudience(audienceId);
  const owners = useOwners(audience);
  const [open, setOpen] = useState<'append' | 'clear'>();
  if (audience === undefined) {
    return (
      <Page
        title="Audience"
        actions={<ButtonLink href="/console/audiences">All audiences</ButtonLink>}
      >
        <ProblemNote problem={problem} />
      </Page>
    );
  }

  const close = () => setOpen(undefined);
  return (
    <Page
      title={audience.name}
      subtitle={owners && <bdi>{ownersOf(owners, kind)}</bdi>}
      actions={
        <>
          {kind === 'partner' && (
            <>
              <Button kind="danger" onClick={() => setOpen('clear')}>
                Clear
              </Button>
              <Button onClick={() => setOpen('append')}>Append files</Button>
              <LoadAgain audience={audience} latestLoad={owners?.latestLoad} onQueued={reload} />
            </>
          )}
          <ButtonLink kind="primary" href={reportAddress(audience)}>
            Composition report
          </ButtonLink>
        </>
      }
    >
      <ProblemNote problem={problem} />
      <AudienceSummary
        audience={audience}
        clearedAt={owners?.cleared_at}
        latestLoad={owners?.latestLoad}
        progress={progress}
      />
      <Panel title="Files">
        {audience.file.length === 0 ? (
          <p className="muted">
            {progress === undefined
              ? 'No files yet: nothing has been loaded since the audience was created or cleared.'
              : 'Files are listed when the load starts.'}
          </p>
        ) : (
          <AudienceFiles files={audience.file} problems={problems} />
        )}
      </Panel>
      {problems.length > 0 && (
        <Panel
          title="Problems"
          actions={
            <RejectsLink
              address={`/v2/firstparty/audience/${audience.audience_id}`}
              problems={problems}
            />
          }
        >
          <ProblemList problems={problems} />
        </Panel>
      )}
      {open === 'append' && (
        <AppendDialog audience={audience} onAppended={reload} onClose={close} />
      )}
      {open === 'clear' && <ClearDialog audience={audience} onCleared={reload} onClose={close} />}
    </Page>
  );
}
