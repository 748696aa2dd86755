import { randomUUID } from 'node:crypto';
import type { Place } from '../../../records/database/places.ts';
import { WrongWarehouse } from '../../port.ts';
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

/**
 * Notes on every shard which of how many it is, whose, and the mark by which all of them are known as
 * the place of the device sets. Returns that mark. Refuses what `checkNotes` does.
 */
export async function noteOnShards(
  shards: readonly Server[],
  layout: OwnedLayout,
  signal: AbortSignal,
): Promise<string> {
  const table =
    'create table if not exists shard (number UInt32, shards UInt32, installation String, mark String) engine = ReplacingMergeTree order by (number, shards, installation, mark)';
  await Promise.all(shards.map((shard) => shard.execute(table)));
  const marks = await checkNotes(shards, layout);
  // A process that was killed may have noted one, and not told the records of it.
  const mark = layout.place?.mark ?? marks.find((found) => found !== undefined) ?? randomUUID();
  for (const [i, shard] of shards.entries()) {
    signal.throwIfAborted();
    await shard.execute(
      `insert into shard values (${i + 1}, ${shards.length}, '${layout.installationId}', '${mark}')`,
    );
  }
  // Two names of one server would give it two numbers.
  await checkNotes(shards, layout);
  return mark;
}

/**
 * Throws if a shard is another service's, not one of those with the device sets, or another of how many
 * than it was. Returns the mark that each of them bears, if it does.
 */
export async function checkNotes(
  shards: readonly Server[],
  layout: OwnedLayout,
): Promise<(string | undefined)[]> {
  const { database, cluster, installationId, place } = layout;
  const notes = await Promise.all(
    shards.map((shard) =>
      shard.select('select distinct number, shards, installation, mark from shard'),
    ),
  );
  for (const [i, shard] of shards.entries()) {
    const { name } = shard;
    if (place && notes[i]!.length === 0) throw lacksDeviceSets(shard, database, place);
    for (const [number, count, owner, mark] of notes[i]!) {
      if (owner !== installationId) {
        throw new WrongWarehouse(`the database ${database} on ${name} is another service's`);
      }
      if (place && mark !== place.mark) throw lacksDeviceSets(shard, database, place);
      if (Number(number) === i + 1 && Number(count) === shards.length) continue;
      const now = cluster ? `shard ${i + 1} of ${shards.length} of ${cluster}` : 'the only server';
      throw new WrongWarehouse(
        `${name} is ${now}, but its rows are those of shard ${number} of ${count}: devices would not be found where they are`,
      );
    }
  }
  return notes.map(([note]) => note?.[3]);
}

export function lacksDeviceSets(
  { name }: Server,
  database: string,
  { address }: Pick<Place, 'address'>,
): WrongWarehouse {
  return new WrongWarehouse(
    `the database ${database} on ${name} has none of the device sets of this service, which are in ${address}: set TRIBUTARY_WAREHOUSE to that, or restore what was lost from its backup`,
  );
}
