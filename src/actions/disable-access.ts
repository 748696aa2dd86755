import { wholeImportProblem } from '../domain/import-problems.ts';
import type { Party } from '../records/access/access.ts';
import type { Records } from '../records/records.ts';
import { emitStopped } from './job-events.ts';

const problem = wholeImportProblem(
  'access_disabled',
  'The operator disabled access before the job ended. Unfinished work was not applied. Send it again when access is enabled.',
);

/**
 * Refuses the credentials of a partner or customer, ends its sessions and cancels its jobs. False if it
 * does not exist. Writes in progress commit before, or are refused.
 */
export function disableAccess(records: Records, party: Party): Promise<boolean> {
  return records.inTransaction(async (tx) => {
    if (!(await tx.access.disable(party))) return false;
    const jobIds = await tx.access.openJobs(party);
    await tx.jobs.cancel(jobIds);
    await tx.importLogs.stop(jobIds, problem);
    await tx.audienceLoads.stop(jobIds, problem);
    await tx.audienceLoads.keepFileProblems(jobIds);
    await emitStopped(tx, jobIds, problem);
    await tx.access.endSessions(party);
    return true;
  });
}
