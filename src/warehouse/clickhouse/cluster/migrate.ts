import { readdir, readFile } from 'node:fs/promises';
import type { Server } from './server.ts';
import {
  checkNotes,
  type Layout,
  lacksDeviceSets,
  noteOnShards,
  type OwnedLayout,
} from './shard-notes.ts';

const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Makes every shard one of this service's and brings it to this version, one process at a time. What
 * was applied is noted on the shard; statements may be repeated, for no server does several of them as
 * one. Forward only; a newer schema is refused. Returns the mark that all shards bear then.
 */
export async function migrateShards(
  shards: readonly Server[],
  layout: OwnedLayout,
  signal: AbortSignal,
): Promise<string> {
  const migrations = await readMigrations();
  const mark = await noteOnShards(shards, layout, signal);
  for (const shard of shards) {
    signal.throwIfAborted();
    await shard.execute(
      'create table if not exists migration (number UInt32, name String, applied DateTime default now()) engine = MergeTree order by number',
    );
    const last = await versionOf(shard);
    if (last > migrations.length) {
      throw new Error(
        `the warehouse on ${shard.name} is at version ${last} and this Tributary knows only ${migrations.length}: run the newer one`,
      );
    }
    const durable = last < migrations.length ? await durableSettings(shard) : '';
    for (const [index, { name, text }] of migrations.entries()) {
      if (index < last) continue;
      for (const statement of statementsOf(text, layout, durable)) {
        await shard.execute(statement, { signal });
      }
      await shard.execute(`insert into migration (number, name) values (${index + 1}, '${name}')`);
    }
  }
  return mark;
}

/** Whether nothing is left to do. */
export async function areMigrated(
  shards: readonly Server[],
  layout: OwnedLayout,
): Promise<boolean> {
  const { length } = await readMigrations();
  const tables = `select count() from system.tables where database = '${layout.database}' and name in ('migration', 'shard')`;
  const found = await Promise.all(shards.map((shard) => shard.select(tables)));
  const bare = found.findIndex(([row]) => row?.[0] !== '2');
  if (bare >= 0) {
    if (layout.place) throw lacksDeviceSets(shards[bare]!, layout.database, layout.place);
    return false;
  }
  const versions = await Promise.all(shards.map(versionOf));
  if (!versions.every((version) => version === length)) return false;
  await checkNotes(shards, layout);
  return layout.place !== undefined;
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

/** What a power cut must not take, where the server can see to it; old ones leave it to the disk. */
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
  { database, cluster }: Layout,
  durable: string,
): string[] {
  return (
    text
      .replaceAll(/^--.*$/gm, '')
      .split(';')
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '')
      // What is about a cluster is left out where there is none.
      .filter((statement) => cluster !== null || !statement.includes('{cluster}'))
      .map((statement) =>
        statement
          .replaceAll('{cluster}', cluster ?? '')
          .replaceAll('{database}', database)
          .replaceAll('{durable}', durable),
      )
  );
}
