import type { Party } from '../records/access/access.ts';
import type { Records } from '../records/records.ts';
import { disableAccess } from './disable-access.ts';

/**
 * Disables a partner or customer for good and deletes its credentials. A worker deletes its data. Returns
 * the time of the removal; undefined if there is none.
 */
export function removeParty(records: Records, party: Party): Promise<Date | undefined> {
  return records.inTransaction(async (tx) => {
    if (!(await disableAccess(tx, party))) return undefined;
    return tx.removals.begin(party);
  });
}
