import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../domain/errors.ts';
import type { ClickhouseAddress } from '../../domain/warehouse/address.ts';
import { findServers } from './cluster/find-servers.ts';
import { createServer, longTimeoutMs, type Server } from './cluster/server.ts';

/** The installation that owns the rows of a shard, and its mark. */
interface ShardOwner {
  readonly owner: string;
  readonly mark: string;
}

/**
 * Drops our tables on every server that is unused, and the database if nothing else is in it. The table
 * with the owner is dropped last, so this can be repeated after a crash.
 */
export async function eraseCluster(
  address: ClickhouseAddress,
  isUnused: (owner: ShardOwner) => boolean,
): Promise<void> {
  const { database, cluster, otherUrls = [] } = address;
  const seeds = [address.url, ...otherUrls].map((url) => ({ ...address, url }));
  for (const { address: each } of await findServers(seeds, cluster)) {
    await using bare = createServer(each, 'default');
    const tables = await tablesOf(bare, database);
    if (tables === null) continue;
    if (tables.includes('shard')) {
      await using shard = createServer(each, database);
      const owners = await shard.select('select distinct installation, mark from shard');
      if (!owners.every(([owner = '', mark = '']) => isUnused({ owner, mark }))) continue;
      for (const table of [...ourTables, 'shard']) await dropTable(shard, database, table);
    }
    const left = await tablesOf(bare, database);
    // Without the right to drop a database, an empty one stays.
    if (left?.length === 0) await bare.execute(`drop database ${database}`).catch(() => {});
  }
}

const mutationPollMs = 1_000;
const mutationsMs = 6 * 60 * 60 * 1000;

/** A server refuses to drop a table of more than 50 GB, unless its settings allow it. Then it is emptied first. */
async function dropTable(shard: Server, database: string, table: string): Promise<void> {
  const drop = () => shard.execute(`drop table if exists ${table}`, { timeoutMs: longTimeoutMs });
  try {
    await drop();
  } catch (error) {
    if (!messageOf(error).includes('size_to_drop')) throw error;
    const unfinished = `select count() from system.mutations where database = '${database}' and table = '${table}' and not is_done`;
    const isDone = async () => (await shard.select(unfinished))[0]?.[0] === '0';
    if (await isDone()) await shard.execute(`alter table ${table} delete where 1`);
    const deadline = performance.now() + mutationsMs;
    while (!(await isDone())) {
      if (performance.now() > deadline) throw error;
      await sleep(mutationPollMs);
    }
    await drop();
  }
}

const ourTables = ['run_device', 'profile_device', 'loaded_row', 'batch', 'probe', 'migration'];

/** Null: the server does not have the database. */
async function tablesOf(server: Server, database: string): Promise<string[] | null> {
  const found = await server.select(`select name from system.databases where name = '${database}'`);
  if (found.length === 0) return null;
  const tables = await server.select(
    `select name from system.tables where database = '${database}'`,
  );
  return tables.flat();
}
