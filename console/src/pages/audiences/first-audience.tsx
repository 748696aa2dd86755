import { Link } from 'wouter';
import { useSession } from '../../api/session.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { createAudienceCommand, tributaryCommands } from '../imports/commands.ts';

/** What to do when there is no audience yet: customers cannot make one, their partners can. */
export function FirstAudience() {
  const { kind } = useSession();
  return kind === 'partner' ? <ForPartner /> : <ForCustomer />;
}

function ForPartner() {
  const { prefix } = useSession();
  const { origin } = window.location;
  return (
    <EmptyState title="There are no audiences yet">
      <p>
        An audience is made of files of devices. <Link href="/console/upload">Upload them</Link>{' '}
        below <code>{prefix}</code>, then make an audience of the path that they have in common. On
        the command line:
      </p>
      <CopyCommand
        command={tributaryCommands(origin, [
          'audience',
          'create',
          'Spring visitors',
          'spring/',
          '--watch',
        ])}
      />
    </EmptyState>
  );
}

function ForCustomer() {
  return (
    <EmptyState title="There are no audiences yet">
      <p>
        They appear here as soon as a partner loads one for you. Your partner does it with your user
        token:
      </p>
      <CopyCommand command={createAudienceCommand(window.location.origin)} />
    </EmptyState>
  );
}
