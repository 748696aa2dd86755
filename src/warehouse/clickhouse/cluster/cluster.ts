import { messageOf, TributaryError } from '../../../domain/errors.ts';
import type { Place } from '../../../records/database/places.ts';
import type { Records } from '../../../records/records.ts';
import { WrongWarehouse } from '../../port.ts';
import { findShards } from './find-shards.ts';
import { areMigrated, migrateShards } from './migrate.ts';
import { createServer, type QueryOptions, type Server, type ServerAddress } from './server.ts';
import { type ClusterDatabase, missingDeviceSets, type OwnedDatabase } from './shard-identity.ts';

export interface ClusterAddress extends ServerAddress, ClusterDatabase {}

/** All shards. They are discovered and migrated on first use. */
export interface Cluster extends AsyncDisposable {
  /** The table that distributes loaded rows over the shards. */
  readonly loadedTable: string;
  /** The table with the devices of all shards. */
  readonly allDevices: string;
  /** In the order of their numbers. */
  shards(): Promise<readonly Server[]>;
  /** Runs work on all shards at once. An unreachable shard is an error; none is ever skipped. */
  onEach<T>(work: (shard: Server, position: number) => Promise<T>): Promise<T[]>;
  /** Adds up the counts of all shards by key. */
  sums(sql: string, options: QueryOptions): Promise<Map<string, number>>;
  /** Throws an error that operators understand if a shard cannot be written to. */
  checkReady(): Promise<void>;
}

export type ClusterRecords = Pick<Records, 'exclusively' | 'installation' | 'places'>;

export function createCluster(address: ClusterAddress, records: ClusterRecords): Cluster {
  const servers = new AsyncDisposableStack();
  let opened: Promise<readonly Server[]> | undefined;

  function shards(): Promise<readonly Server[]> {
    // After a failure the next call tries again.
    opened ??= open(address, records, servers).catch((error) => {
      opened = undefined;
      if (error instanceof TributaryError) throw error;
      // Any other failure is for the operator to fix, so jobs wait instead of failing.
      throw new TributaryError('unavailable', `The warehouse cannot be used: ${messageOf(error)}`, {
        cause: error,
      });
    });
    return opened;
  }

  async function onEach<T>(work: (shard: Server, position: number) => Promise<T>): Promise<T[]> {
    const outcomes = await Promise.allSettled((await shards()).map(work));
    // Wait for all shards even after an error, so no work overlaps the caller's next step.
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  return {
    loadedTable: address.cluster ? 'loaded' : 'loaded_row',
    allDevices: address.cluster ? 'all_run_device' : 'run_device',
    shards,
    onEach,
    async sums(sql, options) {
      const sums = new Map<string, number>();
      for (const rows of await onEach((shard) => shard.select(sql, options))) {
        for (const [key = '', count] of rows) {
          sums.set(key, (sums.get(key) ?? 0) + Number(count));
        }
      }
      return sums;
    },
    async checkReady() {
      try {
        await onEach((shard) =>
          shard.execute('insert into probe values (1)', { timeoutMs: 2_500 }),
        );
      } catch (error) {
        if (error instanceof WrongWarehouse) throw error;
        throw new Error(`the warehouse cannot be written to: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  };
}

async function open(
  address: ClusterAddress,
  records: ClusterRecords,
  servers: AsyncDisposableStack,
): Promise<readonly Server[]> {
  const { database } = address;
  const addresses = await findShards(address, address.cluster);
  const place = await findPlace(records);
  await using made = new AsyncDisposableStack();
  for (const each of addresses) {
    await using bare = createServer(each, 'default');
    if (!place) await bare.execute(`create database if not exists ${database}`);
    else if (!(await hasDatabase(bare, database))) throw missingDeviceSets(bare, database, place);
  }
  const shards = addresses.map((each) => made.use(createServer(each, database)));
  await adoptShards(shards, address, records);
  servers.use(made.move());
  return shards;
}

/** Where the device sets of this service are. Undefined until it has any. */
async function findPlace(records: ClusterRecords): Promise<Place | undefined> {
  const place = await records.places.find('device sets');
  if (place && place.kind !== 'clickhouse') throw deviceSetsElsewhere(place);
  return place;
}

async function hasDatabase(server: Server, database: string): Promise<boolean> {
  const sql = `select name from system.databases where name = '${database}'`;
  return (await server.select(sql)).length > 0;
}

/** Claims the shards for this service if it has none yet, and migrates them. */
async function adoptShards(
  shards: readonly Server[],
  address: ClusterAddress,
  records: ClusterRecords,
): Promise<void> {
  const installationId = await records.installation.identify();

  async function ownedDatabase(): Promise<OwnedDatabase> {
    return { ...address, installationId, place: await findPlace(records) };
  }

  if (await areMigrated(shards, await ownedDatabase())) return;
  // Several callers share this migration, so none of them may cancel it.
  const { signal } = new AbortController();
  await records.exclusively(
    'warehouse migrations',
    async (held) => {
      const mark = await migrateShards(shards, await ownedDatabase(), held);
      const claimed = { kind: 'clickhouse', mark, address: describeAddress(address) } as const;
      const place = await records.places.register('device sets', claimed);
      if (place.mark !== mark) throw deviceSetsElsewhere(place);
    },
    signal,
  );
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
