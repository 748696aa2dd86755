import { AsyncLocalStorage } from 'node:async_hooks';
import type { Records } from '../../records/records.ts';

/** Records for a library that saves one thing after the other, and knows nothing of transactions. */
export interface JointRecords {
  /** Those of the transaction under way here, or else the usual ones. */
  current(): Records;
  /** All that `work` saves, in whichever depth, is saved when it returns; nothing if it throws. */
  together<T>(work: () => Promise<T>): Promise<T>;
}

export function createJointRecords(records: Records): JointRecords {
  const underWay = new AsyncLocalStorage<Records>();
  return {
    current: () => underWay.getStore() ?? records,
    together: (work) => records.inTransaction((within) => underWay.run(within, work)),
  };
}
