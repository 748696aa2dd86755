import { AsyncLocalStorage } from 'node:async_hooks';
import type { Records } from '../../records/records.ts';

/** Records for a library that saves one thing after another and knows no transactions. */
export interface TransactionalRecords {
  /** The records of the current transaction, or the plain records outside one. */
  current(): Records;
  /** Runs `work` in one transaction, which includes everything that it calls. */
  inTransaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createTransactionalRecords(records: Records): TransactionalRecords {
  const transaction = new AsyncLocalStorage<Records>();
  return {
    current: () => transaction.getStore() ?? records,
    inTransaction: (work) => records.inTransaction((within) => transaction.run(within, work)),
  };
}
