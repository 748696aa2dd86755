import type { Records } from '../../records/records.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { registerAdminJobs } from './jobs.ts';
import { registerAdminPartnerTrouble } from './partner-trouble.ts';
import { registerAdminTrends } from './trends.ts';

interface OperatorJobDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly sendList: SendList;
}

/** What the operator sees of all partners' jobs. */
export function registerOperatorJobs(
  app: App,
  { records, auth, sendList }: OperatorJobDependencies,
): void {
  registerAdminJobs(app, records, auth, sendList);
  registerAdminTrends(app, records, auth);
  registerAdminPartnerTrouble(app, records, auth);
}
