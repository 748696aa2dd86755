import type { Extents } from '../../runs/load/memory/slots.ts';
import { removalsFromAll, removalsOf } from '../../runs/load/tasks/collect-lists.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { passesOver } from '../rows/passes.ts';
import { runIdOf } from '../rows/run-ids.ts';
import { allLists } from '../rows/sql.ts';
import { checkLoadedRows } from './loaded-rows.ts';
import { lossesFrom, type NumberedRun, remaindersFrom } from './removal-sql.ts';
import { type ListRows, loadedRows } from './row-table.ts';
import { type SendContext, sendLists } from './send-lists.ts';

interface Shortening {
  readonly batch: number;
  /** The runs of the named segments. */
  readonly held: readonly NumberedRun[];
  /** The number of the first new run. */
  readonly first: number;
  readonly leftOut: Extents;
}

/**
 * Writes runs that hold removed devices again, without these, and returns the old ones. Additions are sent as
 * well, because devices that are both removed and added stay.
 */
export async function shortenRuns(
  engine: Engine,
  sending: SendContext,
  { batch, held, first, leftOut }: Shortening,
): Promise<NumberedRun[]> {
  const { cluster } = engine;
  const { signal } = sending;
  const { lists: layout } = sending.stored;
  if (!layout.removals || held.length === 0) return [];
  const options = { signal, timeoutMs: longTimeoutMs };
  const numbers = [...new Set(held.map(({ list }) => list))].sort((a, b) => a - b);
  // In the sort order of the table.
  const lists = new Map<number, ListRows>([
    ...numbers.map((number) => [number, { number, removes: false }] as const),
    ...numbers.map((number) => [removalsOf(number, layout), { number, removes: true }] as const),
    [removalsFromAll(layout), { number: allLists, removes: true }],
  ]);
  const sent = await sendLists(sending, { table: loadedRows, batch, lists, leftOut });
  const rows = [...sent.values()].reduce((sum, count) => sum + count, 0);
  const passes = await passesOver(rows, engine);

  const losing = new Set<string>();
  for (const pass of passes) {
    const counts = await cluster.sums(lossesFrom(held, { batch, pass }), options);
    for (const id of counts.keys()) losing.add(id);
  }
  const shortened = held.filter(({ run }) => losing.has(String(runIdOf(run))));
  if (shortened.length > 0) {
    for (const pass of passes) {
      const sql = remaindersFrom(shortened, first, { batch, pass });
      await cluster.onEach((shard) => shard.execute(sql, options));
    }
  }
  await checkLoadedRows(engine, { batch, kind: 'lists', rows }, signal);
  return shortened;
}
