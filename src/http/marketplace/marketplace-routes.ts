import type { Records } from '../../records/records.ts';
import type { WaitFor } from '../answers/long-poll.ts';
import type { SendProgress } from '../job-reports/progress-answers.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import type { Write } from '../server/idempotent-write.ts';
import { registerAttributeCreation } from './attribute-creation.ts';
import { registerAttributeHistory } from './attribute-history.ts';
import { registerAttributes } from './attributes.ts';
import type { PartnerBuckets } from './bucket-credentials.ts';
import { registerBucketRole } from './bucket-role.ts';
import { registerImportFiles } from './import-files.ts';
import { registerImportLogs } from './import-logs.ts';
import { registerImportProgress } from './import-progress.ts';
import { registerImportRejects } from './import-rejects.ts';
import { registerImports } from './imports.ts';

interface MarketplaceDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly write: Write;
  readonly sendProgress: SendProgress;
  readonly sendList: SendList;
  readonly waitFor: WaitFor;
  readonly partnerBuckets: PartnerBuckets;
  /** Attributes that each partner may have. */
  readonly maxAttributes: number;
}

export async function registerMarketplace(app: App, deps: MarketplaceDependencies): Promise<void> {
  const { records, auth, write } = deps;
  registerImports(app, auth, write, deps.partnerBuckets);
  registerImportLogs(app, records, auth, deps);
  registerBucketRole(app, records, auth, deps.partnerBuckets.rolePrincipal);
  registerImportFiles(app, records, auth, deps.sendList);
  registerImportRejects(app, records, auth);
  registerImportProgress(app, records, auth, deps.sendProgress);
  await registerAttributeCreation(app, auth, write, deps.maxAttributes);
  registerAttributes(app, records, auth, write, deps.sendList);
  registerAttributeHistory(app, records, auth, deps.sendList);
}
