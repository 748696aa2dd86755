import { randomUUID } from 'node:crypto';
import type { Place } from '../../../records/database/places.ts';
import { WrongWarehouse } from '../../port.ts';
import type { Server } from './server.ts';

/** The warehouse's database, on one server or on a cluster. */
export interface ClusterDatabase {
  readonly database: string;
  /** Null for a single server. */
  readonly cluster: string | null;
}

/** A server and the number of its shard, from 0. */
export interface ShardServer {
  readonly shard: number;
  readonly server: Server;
}

/** The database and the service that owns it. Two services on one database would sweep each other's rows. */
export interface OwnedDatabase extends ClusterDatabase {
  readonly installationId: string;
  /** How many shards there are. */
  readonly shards: number;
  /** Whether shards have replicas, so that ZooKeeper copies the tables. */
  readonly isReplicated: boolean;
  /** Where the device sets are. Every shard carries its mark. Undefined until there are device sets. */
  readonly place: Pick<Place, 'mark' | 'address'> | undefined;
}

/**
 * Writes to every shard its number, the number of shards, its owner and the mark that identifies all of
 * them as the place of the device sets. Returns the mark. Throws as `checkShardIdentities` does.
 */
export async function writeShardIdentities(
  members: readonly ShardServer[],
  owned: OwnedDatabase,
  signal: AbortSignal,
): Promise<string> {
  const table =
    'create table if not exists shard (number UInt32, shards UInt32, installation String, mark String) engine = ReplacingMergeTree order by (number, shards, installation, mark)';
  await Promise.all(members.map(({ server }) => server.execute(table)));
  const marks = await checkShardIdentities(members, owned);
  // A killed process may have written a mark to a shard but not to PostgreSQL.
  const mark = owned.place?.mark ?? marks.find((found) => found !== undefined) ?? randomUUID();
  for (const { server, shard } of members) {
    signal.throwIfAborted();
    await server.execute(
      `insert into shard values (${shard + 1}, ${owned.shards}, '${owned.installationId}', '${mark}')`,
    );
  }
  // A server listed under two names would now have two numbers.
  await checkShardIdentities(members, owned);
  return mark;
}

/**
 * Throws if a shard belongs to another service, lacks the device sets, or has changed its number or the
 * number of shards. Returns each shard's mark, if it has one.
 */
export async function checkShardIdentities(
  members: readonly ShardServer[],
  owned: OwnedDatabase,
): Promise<(string | undefined)[]> {
  const { database, cluster, installationId, place } = owned;
  const identities = await Promise.all(
    members.map(({ server }) =>
      server.select('select distinct number, shards, installation, mark from shard'),
    ),
  );
  const identified = new Set(members.filter((_, i) => identities[i]!.length > 0));
  for (const [i, { server, shard }] of members.entries()) {
    const { name } = server;
    // A replica without rows copies those of another.
    const isKnown = [...identified].some((member) => member.shard === shard);
    if (place && !isKnown) throw missingDeviceSets(server, database, place);
    for (const [number, count, owner, mark] of identities[i]!) {
      if (owner !== installationId) {
        throw new WrongWarehouse(`the database ${database} on ${name} belongs to another service`);
      }
      if (place && mark !== place.mark) throw missingDeviceSets(server, database, place);
      if (Number(number) === shard + 1 && Number(count) === owned.shards) continue;
      const now = cluster
        ? `shard ${shard + 1} of ${owned.shards} of ${cluster}`
        : 'the only server';
      throw new WrongWarehouse(
        `${name} is now ${now}, but its rows belong to shard ${number} of ${count}: restore the cluster's list of shards`,
      );
    }
  }
  return identities.map(([identity]) => identity?.[3]);
}

export function missingDeviceSets(
  { name }: Server,
  database: string,
  { address }: Pick<Place, 'address'>,
): WrongWarehouse {
  return new WrongWarehouse(
    `the database ${database} on ${name} lacks this service's device sets, which are in ${address}: set TRIBUTARY_WAREHOUSE to that, or restore the shard from its backup`,
  );
}
