import type { Disclosures } from '../../domain/disclosure/disclosure.ts';
import type { GuessLimit } from '../../domain/guess-limit.ts';
import type { ObjectStore, UploadLinks } from '../../objects/port.ts';
import type { Records } from '../../records/records.ts';
import type { SendList } from '../lists/send-list.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import type { Audit } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import type { Write } from '../server/idempotent-write.ts';
import type { SendLive } from '../server/live-answers.ts';
import type { SessionCookie } from '../server/session-cookie.ts';
import { registerConsoleAccount } from './account.ts';
import { registerConsoleAuthorizations } from './authorizations.ts';
import { registerConsoleApps } from './connected-apps.ts';
import { registerConsoleAudiences } from './console-audiences.ts';
import { type Brand, registerConsolePage } from './console-page.ts';
import { registerCustomerAudiences } from './customer-audiences.ts';
import { registerImportRequest } from './import-request.ts';
import type { LinkDependencies } from './issue-link.ts';
import { registerConsoleJobs } from './job-list.ts';
import { registerConsoleObjects } from './object-list.ts';
import { registerOwnAccess } from './own-access.ts';
import { registerPasswordLinks } from './password-links.ts';
import { registerConsoleSession } from './session.ts';
import { registerConsoleUploads } from './uploads.ts';
import { registerUsage } from './usage.ts';

interface ConsoleDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly adminToken: AdminToken;
  readonly audit: Audit;
  readonly guesses: GuessLimit;
  readonly cookie: SessionCookie;
  readonly sendLive: SendLive;
  readonly sendList: SendList;
  readonly write: Write;
  readonly objects: ObjectStore;
  readonly uploadLinks: UploadLinks;
  readonly authorizationServer: AuthorizationServer;
  readonly disclosures: Disclosures;
  readonly links: LinkDependencies;
  readonly brand: Brand;
  /** The shared bucket. */
  readonly bucket: string;
  /** Audiences that each partner may have. */
  readonly maxAudiences: number;
  /** For how many days uploads are kept. Null: for good. */
  readonly uploadRetentionDays: number | null;
  /** The folder with the built console. */
  readonly folder: string;
}

export async function registerConsole(app: App, deps: ConsoleDependencies): Promise<void> {
  const { records, auth, adminToken, sendLive, uploadLinks } = deps;
  registerConsoleSession(app, deps);
  registerPasswordLinks(app, { ...deps.links, audit: deps.audit });
  registerConsoleAccount(app, records, auth, adminToken);
  registerConsoleAudiences(app, records, auth, sendLive, deps.disclosures);
  registerConsoleJobs(app, records, auth, sendLive);
  registerUsage(app, records, auth);
  registerConsoleUploads(app, records, auth, deps);
  registerConsoleObjects(app, deps.objects, auth);
  registerImportRequest(app, records, auth);
  registerCustomerAudiences(app, records, auth, deps.write, deps);
  registerOwnAccess(app, records, auth);
  registerConsoleAuthorizations(app, records, auth, deps.authorizationServer);
  registerConsoleApps(app, records, auth, deps.sendList);
  await registerConsolePage(app, {
    folder: deps.folder,
    storageOrigin: uploadLinks.origin,
    brand: deps.brand,
    sendsMail: deps.links.sendMail !== null,
  });
}
