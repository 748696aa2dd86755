import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Place } from '../../records/places.ts';
import { WrongWarehouse } from '../port.ts';
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
  /** Where its device sets are, whose mark every shard bears; undefined as long as there are none. */
  readonly place: Pick<Place, 'mark' | 'address'> | undefined;
}

const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Brings every shard to this version, one process at a time. What was applied is noted on the
 * shard; statements may be repeated, for no server does several of them as one. Forward only; a
 * newer schema is refused, and so are shards that are another service's, or not those which the rows
 * were spread over. Returns the mark that all of them bear then.
 */
export async function migrateShards(
  shards: readonly Server[],
  layout: OwnedLayout,
  signal: AbortSignal,
): Promise<string> {
  const migrations = await readMigrations();
  await Promise.all(shards.map(prepare));
  const marks = await checkPlaces(shards, layout);
  const mark = layout.place?.mark ?? marks.find((found) => found !== undefined) ?? randomUUID();
  for (const [i, shard] of shards.entries()) {
    signal.throwIfAborted();
    await shard.execute(
      `insert into shard values (${i + 1}, ${shards.length}, '${layout.installationId}', '${mark}')`,
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
  // Two names of one server would give it two places.
  await checkPlaces(shards, layout);
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
    if (layout.place) throw hasNone(shards[bare]!, layout.database, layout.place);
    return false;
  }
  const versions = await Promise.all(shards.map(versionOf));
  if (!versions.every((version) => version === length)) return false;
  await checkPlaces(shards, layout);
  return layout.place !== undefined;
}

/**
 * Throws if a shard is another's, not one of those with the device sets, or not in the place where it
 * was. Returns which mark each of them bears, if it does.
 */
async function checkPlaces(
  shards: readonly Server[],
  { database, cluster, installationId, place: known }: OwnedLayout,
): Promise<(string | undefined)[]> {
  const places = await Promise.all(
    shards.map((shard) =>
      shard.select('select distinct number, shards, installation, mark from shard'),
    ),
  );
  for (const [i, placesHere] of places.entries()) {
    const { name } = shards[i]!;
    if (known && placesHere.length === 0) throw hasNone(shards[i]!, database, known);
    for (const [number, count, owner, mark] of placesHere) {
      if (owner !== installationId) {
        throw new WrongWarehouse(`the database ${database} on ${name} is another service's`);
      }
      if (known && mark !== known.mark) throw hasNone(shards[i]!, database, known);
      if (Number(number) === i + 1 && Number(count) === shards.length) continue;
      const now = cluster ? `shard ${i + 1} of ${shards.length} of ${cluster}` : 'the only server';
      throw new WrongWarehouse(
        `${name} is ${now}, but its rows are those of shard ${number} of ${count}: devices would not be found where they are`,
      );
    }
  }
  return places.map(([place]) => place?.[3]);
}

function hasNone(
  { name }: Server,
  database: string,
  { address }: Pick<Place, 'address'>,
): WrongWarehouse {
  return new WrongWarehouse(
    `the database ${database} on ${name} has none of the device sets of this service, which are in ${address}: set TRIBUTARY_WAREHOUSE to that, or restore what was lost from its backup`,
  );
}

async function prepare(shard: Server): Promise<void> {
  await shard.execute(
    'create table if not exists shard (number UInt32, shards UInt32, installation String, mark String) engine = ReplacingMergeTree order by (number, shards, installation, mark)',
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
