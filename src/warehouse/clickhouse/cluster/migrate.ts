import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { WrongWarehouse } from '../../port.ts';
import type { Server } from './server.ts';
import {
  type ClusterDatabase,
  checkShardIdentities,
  type OwnedDatabase,
  type ShardServer,
  writeShardIdentities,
} from './shard-identity.ts';

/** A server's first connection to ZooKeeper can take long. */
const statementTimeoutMs = 60_000;
const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Claims every server for this service and migrates it; one process at a time. Each server records its
 * migrations. Statements must be repeatable because ClickHouse has no transactions. Forward only; a
 * newer schema is refused. Returns the mark that all servers carry.
 */
export async function migrateServers(
  members: readonly ShardServer[],
  owned: OwnedDatabase,
  signal: AbortSignal,
): Promise<string> {
  const migrations = await readMigrations();
  const mark = await writeShardIdentities(members, owned, signal);
  for (const { server, shard } of members) {
    signal.throwIfAborted();
    await server.execute(
      'create table if not exists migration (number UInt32, name String, applied DateTime default now()) engine = MergeTree order by number',
    );
    const last = await versionOf(server);
    if (last > migrations.length) {
      throw new Error(
        `the warehouse on ${server.name} has schema version ${last}, but this Tributary supports only ${migrations.length}: run a newer Tributary`,
      );
    }
    const durable = last < migrations.length ? await durableSettings(server) : '';
    const replicated = owned.isReplicated ? replicatedTables(server, shard, mark) : null;
    for (const [index, { name, text }] of migrations.entries()) {
      if (index < last) continue;
      for (const statement of statementsOf(text, owned, durable, replicated)) {
        await server.execute(statement, { signal, timeoutMs: statementTimeoutMs });
      }
      await server.execute(`insert into migration (number, name) values (${index + 1}, '${name}')`);
    }
  }
  await checkEngines(members, owned);
  return mark;
}

/** Whether the servers are claimed and have every migration. */
export async function areMigrated(
  members: readonly ShardServer[],
  owned: OwnedDatabase,
): Promise<boolean> {
  const { length } = await readMigrations();
  const tables = `select count() from system.tables where database = '${owned.database}' and name in ('migration', 'shard')`;
  const found = await Promise.all(members.map(({ server }) => server.select(tables)));
  if (found.some(([row]) => row?.[0] !== '2')) return false;
  const versions = await Promise.all(members.map(({ server }) => versionOf(server)));
  if (!versions.every((version) => version === length)) return false;
  const marks = await checkShardIdentities(members, owned);
  await checkEngines(members, owned);
  return owned.place !== undefined && !marks.includes(undefined);
}

/** Throws if the tables were created for another kind of cluster. */
async function checkEngines(
  members: readonly ShardServer[],
  { database, isReplicated }: OwnedDatabase,
): Promise<void> {
  const sql = `select engine from system.tables where database = '${database}' and name = 'run_device'`;
  for (const { server } of members) {
    const [row] = await server.select(sql);
    if (row?.[0]?.startsWith('Replicated') === isReplicated) continue;
    throw new WrongWarehouse(
      isReplicated
        ? `the tables of the database ${database} on ${server.name} have no replicas, but the cluster lists some: restore the list`
        : `the tables of the database ${database} on ${server.name} have replicas, but the cluster lists none: restore the list`,
    );
  }
  if (isReplicated) await checkReplicaNames(members);
}

/** Throws if a server is listed twice, because one copy would count as two. */
async function checkReplicaNames(members: readonly ShardServer[]): Promise<void> {
  const sql =
    "select replica_name from system.replicas where database = currentDatabase() and table = 'run_device'";
  const servers = new Map<string, string>();
  for (const { server } of members) {
    const [row] = await server.select(sql);
    const other = servers.get(row?.[0] ?? '');
    if (other) throw new WrongWarehouse(`${server.name} and ${other} are the same server`);
    servers.set(row?.[0] ?? '', server.name);
  }
}

async function versionOf(server: Server): Promise<number> {
  const [row] = await server.select('select max(number) from migration');
  return Number(row?.[0] ?? 0);
}

async function readMigrations(): Promise<{ name: string; text: string }[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({
      name,
      text: await readFile(new URL(name, migrationsFolder), 'utf8'),
    })),
  );
}

/** Settings that make rows survive a power cut. Old servers lack them and rely on the disk. */
async function durableSettings(server: Server): Promise<string> {
  const wanted = ['fsync_after_insert', 'fsync_part_directory', 'min_rows_to_fsync_after_merge'];
  const names = wanted.map((name) => `'${name}'`).join(', ');
  const known = await server.select(
    `select name from system.merge_tree_settings where name in (${names}) order by name`,
  );
  if (known.length < wanted.length) return '';
  return `settings ${known.map(([name]) => `${name} = 1`).join(', ')}`;
}

/**
 * The place of a table in ZooKeeper, and a new name for the replica: after a machine is replaced, ZooKeeper
 * still has the name of the old one. Two clusters may share a ZooKeeper while device sets move from one to the
 * other, so the place has the mark of the cluster.
 */
function replicatedTables({ name }: Server, shard: number, mark: string): ReplicatedTables {
  return { path: `/tributary/${mark}/${shard + 1}`, replica: `${name}-${randomUUID()}` };
}

interface ReplicatedTables {
  readonly path: string;
  readonly replica: string;
}

export function statementsOf(
  text: string,
  { database, cluster }: ClusterDatabase,
  durable: string,
  replicated: ReplicatedTables | null,
): string[] {
  return (
    text
      .replaceAll(/^--.*$/gm, '')
      .split(';')
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '')
      // Statements for a cluster are skipped on a single server.
      .filter((statement) => cluster !== null || !statement.includes('{cluster}'))
      .map((statement) =>
        statement
          .replaceAll('{cluster}', cluster ?? '')
          .replaceAll('{database}', database)
          .replaceAll('{durable}', durable)
          .replace(/\{copied (\w+)\}/, (_, engine) => {
            if (!replicated) return engine;
            const table = /^create table if not exists (\w+)/.exec(statement)![1];
            const { path, replica } = replicated;
            return `Replicated${engine}('${path}/${table}', '${replica}')`;
          }),
      )
  );
}
