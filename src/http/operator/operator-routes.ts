import type { ObjectStore } from '../../objects/port.ts';
import type { Records } from '../../records/records.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { registerAdminCustomers } from './customers.ts';
import { registerAdminOauthApps } from './oauth-apps.ts';
import { registerAdminOauthGrants } from './oauth-grants.ts';
import { registerAdminOauthKeys } from './oauth-keys.ts';
import { registerAdminObjects } from './objects.ts';
import { registerAdminPartners } from './partners.ts';
import { registerAdminSecretKey } from './secret-key.ts';
import { registerAdminSessions } from './sessions.ts';
import { registerAdminStatus } from './status.ts';
import { registerAdminStorageCredentials, type SharedStorage } from './storage-credentials.ts';
import { registerAdminUserTokens } from './user-tokens.ts';
import { registerAdminUsers } from './users.ts';

interface OperatorDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly auth: Auth;
  readonly adminToken: AdminToken;
  readonly storage: SharedStorage;
}

export async function registerOperator(app: App, deps: OperatorDependencies): Promise<void> {
  const { records, auth } = deps;
  registerAdminPartners(app, records, auth, deps.storage);
  registerAdminCustomers(app, records, auth);
  registerAdminUsers(app, records, auth);
  registerAdminSessions(app, records, auth, deps.adminToken);
  registerAdminUserTokens(app, records, auth);
  registerAdminStorageCredentials(app, records, auth, deps.storage);
  await registerAdminObjects(app, records, deps.objects, auth);
  registerAdminOauthApps(app, records, auth);
  registerAdminOauthGrants(app, records, auth);
  registerAdminOauthKeys(app, records, auth);
  registerAdminSecretKey(app, records, auth);
  registerAdminStatus(app, records, auth);
}
