import type { Records } from '../../records/records.ts';
import type { SendProgress } from '../job-reports/progress-answers.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import type { Write } from '../server/idempotent-write.ts';
import { audienceAddresses } from './audience-address.ts';
import { registerAudienceClearing } from './audience-clearing.ts';
import { registerAudienceComposition } from './audience-composition.ts';
import { registerAudienceHistory } from './audience-history.ts';
import { type ReadDependencies, registerAudienceReads } from './audience-reads.ts';
import { registerAudienceReports } from './audience-reports.ts';
import { registerAudienceWrites } from './audience-writes.ts';

interface AudienceDependencies extends ReadDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly write: Write;
  readonly sendProgress: SendProgress;
  /** The shared bucket. */
  readonly bucket: string;
  /** Audiences that each partner may have. */
  readonly maxAudiences: number;
}

export async function registerAudiences(app: App, deps: AudienceDependencies): Promise<void> {
  const { records, auth, write } = deps;
  for (const address of audienceAddresses) {
    registerAudienceWrites(app, address, auth, write, deps);
    registerAudienceReads(app, address, records, auth, deps);
    await registerAudienceClearing(app, address, auth, write, deps.disclosures);
    registerAudienceComposition(app, address, records, auth, deps);
    registerAudienceHistory(app, address, records, auth, deps);
    registerAudienceReports(app, address, records, auth, deps.sendProgress, deps.sendList);
  }
}
