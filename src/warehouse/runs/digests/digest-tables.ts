import type { ReadableRun } from '../file/readable-run.ts';
import type { OpenedRun } from '../file/run-opener.ts';
import { type DigestTable, newDigestTable } from './digest-table.ts';
import type { ReadableDigests } from './match-digests.ts';

/** Makes tables of digests on a thread, and keeps the last one for the next caller. */
export type DigestTables = (runs: readonly OpenedRun[]) => Promise<ReadableDigests>;

export interface TableToFill {
  readonly runs: readonly ReadableRun[];
  readonly table: DigestTable;
}

export function createDigestTables(fill: (input: TableToFill) => Promise<void>): DigestTables {
  let last: { readonly key: string; readonly table: Promise<DigestTable> } | undefined;

  async function tableOf(runs: readonly OpenedRun[]): Promise<DigestTable> {
    const table = newDigestTable(runs.reduce((sum, { run }) => sum + run.devices, 0));
    await fill({ runs: runs.map(({ open }) => open), table });
    return table;
  }

  return async (runs) => {
    const key = runs.map(({ run }) => run.runId).join();
    if (last?.key !== key) {
      const made = { key, table: tableOf(runs) };
      made.table.catch(() => {
        if (last === made) last = undefined;
      });
      last = made;
    }
    return { table: await last.table, runs: runs.map(({ open }) => open) };
  };
}
