import { codeOf, TributaryError } from '../../../domain/errors.ts';
import type { Place } from '../../../records/database/places.ts';
import { WrongWarehouse } from '../../port.ts';
import type { ClusterAddress, ClusterRecords } from './cluster.ts';
import { type FoundServer, findServers } from './find-servers.ts';
import { areMigrated, migrateServers } from './migrate.ts';
import { type Replica, reasonsOf, setAside, watchedReplica } from './replica.ts';
import { createServer } from './server.ts';
import { missingDeviceSets, type OwnedDatabase } from './shard-identity.ts';

export interface OpenServers {
  /** The replicas of each shard. */
  readonly shards: readonly (readonly Replica[])[];
  /** Whether tables are replicated. If not, every shard has one server. */
  readonly isReplicated: boolean;
  /** Throws unless the server answers and belongs to the cluster. Gives an empty server its tables. */
  admit(replica: Replica): Promise<void>;
}

/** Finds the servers, claims them for this service if it has none yet, and migrates them. */
export async function openServers(
  address: ClusterAddress,
  records: ClusterRecords,
  connections: AsyncDisposableStack,
): Promise<OpenServers> {
  const { database, cluster, otherUrls = [] } = address;
  const seeds = [address.url, ...otherUrls].map((url) => ({ ...address, url }));
  const listed = await findServers(seeds, cluster);
  const count = new Set(listed.map(({ shard }) => shard)).size;
  const isReplicated = listed.length > count;
  await using made = new AsyncDisposableStack();
  const found = new Map<Replica, FoundServer>();
  for (const each of listed) {
    const server = made.use(createServer(each.address, database));
    found.set(watchedReplica(server, each.shard), each);
  }
  const shards = Array.from({ length: count }, (_, shard) =>
    [...found.keys()].filter((replica) => replica.shard === shard),
  );

  /** Claims the servers for this service if it has none yet, and migrates them. */
  async function adopt(members: readonly Replica[]): Promise<void> {
    const installationId = await records.installation.identify();

    async function ownedDatabase(): Promise<OwnedDatabase> {
      const place = await findPlace(records);
      return { database, cluster, shards: count, isReplicated, installationId, place };
    }

    await createDatabases(members, await ownedDatabase());
    if (await areMigrated(members, await ownedDatabase())) return;
    // Several callers share this migration, so none of them may cancel it.
    const { signal } = new AbortController();
    await records.exclusively(
      'warehouse migrations',
      async (held) => {
        const mark = await migrateServers(members, await ownedDatabase(), held);
        const claimed = { kind: 'clickhouse', mark, address: describeAddress(address) } as const;
        const place = await records.places.register('device sets', claimed);
        if (place.mark !== mark) throw deviceSetsElsewhere(place);
      },
      signal,
    );
  }

  /** An empty server gets the database, unless the device sets should be there already. */
  async function createDatabases(
    members: readonly Replica[],
    { place }: OwnedDatabase,
  ): Promise<void> {
    const bare = new Set<Replica>();
    for (const member of members) {
      await using server = createServer(found.get(member)!.address, 'default');
      if ((await server.select(ownTables(database))).length === 0) bare.add(member);
    }
    for (const member of bare) {
      const isReplacement = members.some((each) => each.shard === member.shard && !bare.has(each));
      if (place && !isReplacement) throw missingDeviceSets(member.server, database, place);
      await using server = createServer(found.get(member)!.address, 'default');
      await server.execute(`create database if not exists ${database}`);
    }
  }

  /** Finds out which servers answer. Of replicas, some may be down. */
  async function checkServer(replica: Replica): Promise<void> {
    try {
      await found.get(replica)!.check();
    } catch (error) {
      if (!isReplicated || codeOf(error) !== 'unavailable') throw error;
      setAside(replica, 'down', error);
    }
  }

  await Promise.all([...found.keys()].map(checkServer));
  const silent = shards.find((replicas) => replicas.every(({ state }) => state === 'down'));
  if (silent) throw new TributaryError('unavailable', reasonsOf(silent));
  await adopt(shards.flat().filter(({ state }) => state === 'up'));
  connections.use(made.move());
  return {
    shards,
    isReplicated,
    async admit(replica) {
      await found.get(replica)!.check();
      const others = shards[replica.shard]!.filter(
        (other) => other !== replica && other.state !== 'down',
      );
      await adopt([replica, ...others]);
    },
  };
}

function ownTables(database: string): string {
  return `select name from system.tables where database = '${database}' and name in ('migration', 'shard')`;
}

/** Where the device sets of this service are. Undefined until it has any. */
async function findPlace(records: ClusterRecords): Promise<Place | undefined> {
  const place = await records.places.find('device sets');
  if (place && place.kind !== 'clickhouse') throw deviceSetsElsewhere(place);
  return place;
}

function deviceSetsElsewhere({ address }: Pick<Place, 'address'>): WrongWarehouse {
  return new WrongWarehouse(
    `the device sets of this service are in ${address}: correct TRIBUTARY_WAREHOUSE`,
  );
}

function describeAddress({ url, database, cluster }: ClusterAddress): string {
  const where = cluster === null ? '' : `, cluster ${cluster}`;
  return `ClickHouse at ${new URL(url).host}${where}, database ${database}`;
}
