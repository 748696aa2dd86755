import type { Finding } from '../../domain/finding.ts';
import type { ObjectStore } from '../../objects/port.ts';
import type { Records } from '../../records/records.ts';
import type { LinkDependencies } from '../console/issue-link.ts';
import type { SendLines } from '../lists/send-lines.ts';
import type { SendList } from '../lists/send-list.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { registerAdminAccess } from './access.ts';
import { registerAdminTokenRotation, type SaveAdminToken } from './admin-token.ts';
import { registerAdminAudit } from './audit.ts';
import { registerAdminBackups } from './backups.ts';
import { registerAdminCustomers } from './customers.ts';
import { registerAdminDoctor } from './doctor.ts';
import { registerAdminOauthApps } from './oauth-apps.ts';
import { registerAdminOauthGrants } from './oauth-grants.ts';
import { registerAdminOauthKeys } from './oauth-keys.ts';
import { registerAdminObjects } from './objects.ts';
import { registerAdminPartnerStorage } from './partner-storage.ts';
import { registerAdminPartners } from './partners.ts';
import { registerAdminSecretKey } from './secret-key.ts';
import { registerAdminSessions } from './sessions.ts';
import { registerAdminStatus } from './status.ts';
import { registerAdminStorageCredentials, type SharedStorage } from './storage-credentials.ts';
import { registerAdminUsage } from './usage.ts';
import { registerAdminUserTokens } from './user-tokens.ts';
import { registerAdminUsers } from './users.ts';

interface OperatorDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly auth: Auth;
  readonly adminToken: AdminToken;
  readonly saveAdminToken: SaveAdminToken;
  readonly storage: SharedStorage;
  /** For how many days uploads are kept. Null: for good. */
  readonly uploadRetentionDays: number | null;
  /** Where the service backs itself up. Null: nowhere. */
  readonly backupTarget: string | null;
  readonly links: LinkDependencies;
  readonly sendList: SendList;
  readonly sendLines: SendLines;
  readonly deletionHours: number;
  /** Looks for what is wrong with the service. */
  examine(): Promise<readonly Finding[]>;
}

export async function registerOperator(app: App, deps: OperatorDependencies): Promise<void> {
  const { records, auth, sendList } = deps;
  registerAdminPartners(app, records, auth, deps.storage, sendList);
  registerAdminPartnerStorage(app, records, auth, deps);
  registerAdminCustomers(app, records, auth, sendList);
  registerAdminAccess(app, records, auth, deps.deletionHours);
  registerAdminUsers(app, records, auth, sendList, deps.links);
  registerAdminSessions(app, records, auth, deps.adminToken, sendList);
  registerAdminUserTokens(app, records, auth, sendList);
  registerAdminStorageCredentials(app, records, auth, deps.storage, sendList);
  await registerAdminObjects(app, records, deps.objects, auth);
  registerAdminOauthApps(app, records, auth);
  registerAdminOauthGrants(app, records, auth, sendList);
  registerAdminOauthKeys(app, records, auth);
  registerAdminTokenRotation(app, records, auth, deps);
  registerAdminSecretKey(app, records, auth);
  registerAdminBackups(app, records, auth, deps.backupTarget);
  registerAdminStatus(app, records, auth, deps);
  registerAdminDoctor(app, auth, deps.examine);
  registerAdminUsage(app, records, auth);
  registerAdminAudit(app, records, auth, deps);
}
