import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { registerAdminJobs } from './jobs.ts';
import { registerAdminPartnerTrouble } from './partner-trouble.ts';
import { registerAdminTrends } from './trends.ts';

/** What the operator sees of all partners' jobs. */
export function registerOperatorJobs(app: App, records: Records, auth: Auth): void {
  registerAdminJobs(app, records, auth);
  registerAdminTrends(app, records, auth);
  registerAdminPartnerTrouble(app, records, auth);
}
