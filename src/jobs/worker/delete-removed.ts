import { clearAudience } from '../../actions/clear-audience.ts';
import { removeAttributes } from '../../actions/remove-attributes.ts';
import type { ObjectStore } from '../../objects/port.ts';
import type { Party } from '../../records/access/access.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import type { Records } from '../../records/records.ts';
import type { MaintenanceTask } from './maintenance.ts';

const everyMs = 5_000;
/** Dropping the runs of this many attributes takes far less time than any statement timeout. */
const attributesPerTransaction = 100;
const audiencesPerPage = 100;
const jobsPerTransaction = 1_000;

interface RemovalDependencies {
  readonly records: Records;
  readonly objects: Pick<ObjectStore, 'removeAll'>;
}

/** Deletes the data of removed partners and customers. One process at a time does this. */
export function deleteRemoved({ records, objects }: RemovalDependencies): MaintenanceTask {
  return {
    name: 'delete removed partners and customers',
    everyMs,
    async run(shutdownSignal) {
      let removals = 0;
      if ((await records.removals.pending()).length === 0) return { removals };
      await records.unlessLocked(
        'removals',
        async (signal) => {
          for (const removal of await records.removals.pending()) {
            await deleteAll(removal, signal);
            removals += 1;
          }
        },
        shutdownSignal,
      );
      return { removals };
    },
  };

  /** Each step commits what it did, so that an interrupted removal goes on from there. */
  async function deleteAll(party: Party, signal: AbortSignal): Promise<void> {
    await records.refuseNewerSchema();
    await deleteAudiences(party, signal);
    if (party.kind === 'partner') await deletePartnerData(party.id, signal);
    await records.removals.finish(party);
  }

  async function deleteAudiences(party: Party, signal: AbortSignal): Promise<void> {
    for (;;) {
      const page = await records.removals.audiencesOf(party, audiencesPerPage);
      for (const audience of page) {
        signal.throwIfAborted();
        const { audienceId, partnerId, customerId } = audience;
        await clearAudience(records, { partnerId, customerId }, audienceId);
        await deleteJobs(() => records.removals.loadsOf(audienceId, jobsPerTransaction), signal);
        await records.watches.dropAll({ audienceId });
        await records.inTransaction((tx) => tx.removals.dropAudience(audience));
      }
      if (page.length < audiencesPerPage) return;
    }
  }

  async function deletePartnerData(partnerId: number, signal: AbortSignal): Promise<void> {
    while ((await removeAttributes(records, partnerId, attributesPerTransaction)) > 0) {
      signal.throwIfAborted();
    }
    await deleteJobs(() => records.removals.jobsOf(partnerId, jobsPerTransaction), signal);
    await records.watches.dropAll({ partnerId });
    await objects.removeAll(partnerPrefix(partnerId), signal);
  }

  async function deleteJobs(next: () => Promise<number[]>, signal: AbortSignal): Promise<void> {
    for (;;) {
      const jobIds = await next();
      if (jobIds.length === 0) return;
      await records.jobRetention.remove(jobIds);
      signal.throwIfAborted();
    }
  }
}
