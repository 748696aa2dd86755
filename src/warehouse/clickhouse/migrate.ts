import { readdir, readFile } from 'node:fs/promises';
import type { Server } from './server.ts';

/** How the warehouse lies on servers. */
export interface Layout {
  readonly database: string;
  /** Null: on a single server. */
  readonly cluster: string | null;
}

/** Whose warehouse it is. Another service would take its rows for its own, and sweep them. */
export interface OwnedLayout extends Layout {
  readonly installationId: string;
}

const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Brings every shard to this version, one process at a time. What was applied is noted on the
 * shard; statements may be repeated, for no server does several of them as one. Forward only; a
 * newer schema is refused, and so are shards that are another service's, or not those which the rows
 * were spread over.
 */
export async function migrateShards(shards: readonly Server[], layout: OwnedLayout): Promise<void> {
  const migrations = await readMigrations();
  await Promise.all(shards.map(prepare));
  await checkPlaces(shards, layout);
  for (const [i, shard] of shards.entries()) {
    await shard.execute(
      `insert into shard values (${i + 1}, ${shards.length}, '${layout.installationId}')`,
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
      for (const statement of statementsOf(text, layout, durable)) await shard.execute(statement);
      await shard.execute(`insert into migration (number, name) values (${index + 1}, '${name}')`);
    }
  }
}

/** Whether nothing is left to do. */
export async function areMigrated(
  shards: readonly Server[],
  layout: OwnedLayout,
): Promise<boolean> {
  const { length } = await readMigrations();
  const tables = `select count() from system.tables where database = '${layout.database}' and name in ('migration', 'shard')`;
  const found = await Promise.all(shards.map((shard) => shard.select(tables)));
  if (!found.every(([row]) => row?.[0] === '2')) return false;
  const versions = await Promise.all(shards.map(versionOf));
  if (!versions.every((version) => version === length)) return false;
  return (await checkPlaces(shards, layout)).every((isKnown) => isKnown);
}

/** Throws if a shard is another's, or not in the place where it was; which have a place at all. */
async function checkPlaces(
  shards: readonly Server[],
  { database, cluster, installationId }: OwnedLayout,
): Promise<boolean[]> {
  const places = await Promise.all(
    shards.map((shard) => shard.select('select distinct number, shards, installation from shard')),
  );
  for (const [i, [place]] of places.entries()) {
    if (place && place[2] !== installationId) {
      throw new Error(`the database ${database} on ${shards[i]!.name} is another service's`);
    }
    const [number, count] = place?.map(Number) ?? [i + 1, shards.length];
    if (number === i + 1 && count === shards.length) continue;
    const now = cluster ? `shard ${i + 1} of ${shards.length} of ${cluster}` : 'the only server';
    throw new Error(
      `${shards[i]!.name} is ${now}, but its rows are those of shard ${number} of ${count}: devices would not be found where they are`,
    );
  }
  return places.map((place) => place.length > 0);
}

async function prepare(shard: Server): Promise<void> {
  await shard.execute(
    'create table if not exists shard (number UInt32, shards UInt32, installation String) engine = ReplacingMergeTree order by (number, shards, installation)',
  );
  await shard.execute(
    'create table if not exists migration (number UInt32, name String, applied DateTime default now()) engine = MergeTree order by number',
  );
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
