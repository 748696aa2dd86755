import type { Records } from '../../records/records.ts';
import type { SendProgress } from '../job-reports/progress-answers.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import type { Write } from '../server/idempotent-write.ts';
import { registerAttributeCreation } from './attribute-creation.ts';
import { registerAttributeHistory } from './attribute-history.ts';
import { registerAttributes } from './attributes.ts';
import { registerImportFiles } from './import-files.ts';
import { registerImportProgress } from './import-progress.ts';
import { registerImportRejects } from './import-rejects.ts';
import { registerImports } from './imports.ts';

interface MarketplaceDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly write: Write;
  readonly sendProgress: SendProgress;
  readonly sendList: SendList;
  /** Regions of partners' own buckets, in addition to those of AWS. */
  readonly partnerRegions: readonly string[];
  /** Attributes that each partner may have. */
  readonly maxAttributes: number;
}

export async function registerMarketplace(app: App, deps: MarketplaceDependencies): Promise<void> {
  const { records, auth, write } = deps;
  registerImports(app, records, auth, write, deps.partnerRegions, deps.sendList);
  registerImportFiles(app, records, auth, deps.sendList);
  registerImportRejects(app, records, auth);
  registerImportProgress(app, records, auth, deps.sendProgress);
  await registerAttributeCreation(app, auth, write, deps.maxAttributes);
  registerAttributes(app, records, auth, write, deps.sendList);
  registerAttributeHistory(app, records, auth, deps.sendList);
}
