import { readdir, readFile } from 'node:fs/promises';
import type { Server } from './server.ts';
import {
  type ClusterDatabase,
  checkShardIdentities,
  missingDeviceSets,
  type OwnedDatabase,
  writeShardIdentities,
} from './shard-identity.ts';

const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Claims every shard for this service and migrates it; one process at a time. Each shard records its
 * migrations. Statements must be repeatable because ClickHouse has no transactions. Forward only; a
 * newer schema is refused. Returns the mark that all shards carry.
 */
export async function migrateShards(
  shards: readonly Server[],
  owned: OwnedDatabase,
  signal: AbortSignal,
): Promise<string> {
  const migrations = await readMigrations();
  const mark = await writeShardIdentities(shards, owned, signal);
  for (const shard of shards) {
    signal.throwIfAborted();
    await shard.execute(
      'create table if not exists migration (number UInt32, name String, applied DateTime default now()) engine = MergeTree order by number',
    );
    const last = await versionOf(shard);
    if (last > migrations.length) {
      throw new Error(
        `the warehouse on ${shard.name} has schema version ${last}, but this Tributary supports only ${migrations.length}: run a newer Tributary`,
      );
    }
    const durable = last < migrations.length ? await durableSettings(shard) : '';
    for (const [index, { name, text }] of migrations.entries()) {
      if (index < last) continue;
      for (const statement of statementsOf(text, owned, durable)) {
        await shard.execute(statement, { signal });
      }
      await shard.execute(`insert into migration (number, name) values (${index + 1}, '${name}')`);
    }
  }
  return mark;
}

/** Whether the shards are claimed and have every migration. */
export async function areMigrated(
  shards: readonly Server[],
  owned: OwnedDatabase,
): Promise<boolean> {
  const { length } = await readMigrations();
  const tables = `select count() from system.tables where database = '${owned.database}' and name in ('migration', 'shard')`;
  const found = await Promise.all(shards.map((shard) => shard.select(tables)));
  const bare = found.findIndex(([row]) => row?.[0] !== '2');
  if (bare >= 0) {
    if (owned.place) throw missingDeviceSets(shards[bare]!, owned.database, owned.place);
    return false;
  }
  const versions = await Promise.all(shards.map(versionOf));
  if (!versions.every((version) => version === length)) return false;
  await checkShardIdentities(shards, owned);
  return owned.place !== undefined;
}

async function versionOf(shard: Server): Promise<number> {
  const [row] = await shard.select('select max(number) from migration');
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
async function durableSettings(shard: Server): Promise<string> {
  const wanted = ['fsync_after_insert', 'fsync_part_directory', 'min_rows_to_fsync_after_merge'];
  const names = wanted.map((name) => `'${name}'`).join(', ');
  const known = await shard.select(
    `select name from system.merge_tree_settings where name in (${names}) order by name`,
  );
  if (known.length < wanted.length) return '';
  return `settings ${known.map(([name]) => `${name} = 1`).join(', ')}`;
}

export function statementsOf(
  text: string,
  { database, cluster }: ClusterDatabase,
  durable: string,
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
          .replaceAll('{durable}', durable),
      )
  );
}
