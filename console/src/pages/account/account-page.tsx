import { useSession } from '../../api/session.tsx';
import { Page } from '../../parts/page.tsx';
import './account.css';
import { OwnAccess } from './own-access.tsx';
import { OwnSessions } from './own-sessions.tsx';
import { PasswordPanel } from './password-panel.tsx';

export function AccountPage() {
  const { kind, name, customer_name } = useSession();
  return (
    <Page
      title="Account"
      subtitle={customer_name === null ? name : `${name}, for ${customer_name}`}
    >
      {kind === 'partner' && <OwnAccess />}
      <OwnSessions />
      {kind === 'customer' && <PasswordPanel />}
    </Page>
  );
}
