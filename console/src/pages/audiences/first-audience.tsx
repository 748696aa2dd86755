import { Link } from 'wouter';
import { useSession } from '../../api/session.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { createAudienceCommand, tributaryCommands } from '../imports/commands.ts';

/** What to do if there is no audience yet. Only partners can create one, not customers. */
export function FirstAudience() {
  const { kind } = useSession();
  return kind === 'partner' ? <ForPartner /> : <ForCustomer />;
}

function ForPartner() {
  const { prefix } = useSession();
  const { origin } = window.location;
  return (
    <EmptyState title="No audiences yet">
      <p>
        An audience is created from files of devices.{' '}
        <Link href="/console/upload">Upload them</Link> to a folder under <code>{prefix}</code>,
        then create an audience from that folder. On the command line:
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
    <EmptyState title="No audiences yet">
      <p>
        Audiences appear here as soon as a partner loads one for you. Your partner uses a user token
        for that:
      </p>
      <CopyCommand command={createAudienceCommand(window.location.origin)} />
    </EmptyState>
  );
}
