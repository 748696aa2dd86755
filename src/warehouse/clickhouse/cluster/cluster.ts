import { messageOf, TributaryError } from '../../../domain/errors.ts';
import type { Place } from '../../../records/database/places.ts';
import type { Records } from '../../../records/records.ts';
import { WrongWarehouse } from '../../port.ts';
import { findShards } from './find-shards.ts';
import { areMigrated, migrateShards } from './migrate.ts';
import { createServer, type QueryOptions, type Server, type ServerAddress } from './server.ts';
import type { Layout, OwnedLayout } from './shard-notes.ts';

export interface ClusterAddress extends ServerAddress, Layout {}

/** All shards, found and brought to this version when they are first needed. */
export interface Cluster extends AsyncDisposable {
  /** Where rows of loads go, to be spread over the shards. */
  readonly loadedTable: string;
  /** In their order. */
  shards(): Promise<readonly Server[]>;
  /** Asks every shard at once. None is ever left out: one that is away is an error. */
  onEach<T>(work: (shard: Server, position: number) => Promise<T>): Promise<T[]>;
  /** The counts that shards give for the same keys, added up. */
  sums(sql: string, options: QueryOptions): Promise<Map<string, number>>;
  /** Throws, in words for an operator, unless every shard can be written to. */
  checkReady(): Promise<void>;
}

export type ClusterRecords = Pick<Records, 'exclusively' | 'installation' | 'places'>;

export function createCluster(address: ClusterAddress, records: ClusterRecords): Cluster {
  const servers = new AsyncDisposableStack();
  let opened: Promise<readonly Server[]> | undefined;

  function shards(): Promise<readonly Server[]> {
    // What failed is tried again by whoever asks next.
    opened ??= open(address, records, servers).catch((error) => {
      opened = undefined;
      if (error instanceof TributaryError) throw error;
      // Whatever it is, the operator has to see to it: jobs wait, for it is not theirs.
      throw new TributaryError('unavailable', `The warehouse cannot be used: ${messageOf(error)}`, {
        cause: error,
      });
    });
    return opened;
  }

  async function onEach<T>(work: (shard: Server, position: number) => Promise<T>): Promise<T[]> {
    const outcomes = await Promise.allSettled((await shards()).map(work));
    // Not before all have ended: what one still does would come after what the caller does next.
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  return {
    loadedTable: address.cluster ? 'loaded' : 'loaded_row',
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
  await using made = new AsyncDisposableStack();
  for (const each of addresses) {
    await using bare = createServer(each, 'default');
    await bare.execute(`create database if not exists ${database}`);
  }
  const shards = addresses.map((each) => made.use(createServer(each, database)));
  await takeOver(shards, address, records);
  servers.use(made.move());
  return shards;
}

/** Makes the shards those of this service, if it has none yet, and brings them to this version. */
async function takeOver(
  shards: readonly Server[],
  address: ClusterAddress,
  records: ClusterRecords,
): Promise<void> {
  const installationId = await records.installation.identify();

  async function layoutNow(): Promise<OwnedLayout> {
    const place = await records.places.find('device sets');
    if (place && place.kind !== 'clickhouse') throw heldIn(place);
    return { ...address, installationId, place };
  }

  if (await areMigrated(shards, await layoutNow())) return;
  // All who need the shards wait for it, so none of them may call it off.
  const { signal } = new AbortController();
  await records.exclusively(
    'warehouse migrations',
    async (held) => {
      const mark = await migrateShards(shards, await layoutNow(), held);
      const claimed = { kind: 'clickhouse', mark, address: inWords(address) } as const;
      const place = await records.places.claim('device sets', claimed);
      if (place.mark !== mark) throw heldIn(place);
    },
    signal,
  );
}

function heldIn({ address }: Pick<Place, 'address'>): WrongWarehouse {
  return new WrongWarehouse(`the device sets of this service are in ${address}`);
}

function inWords({ url, database, cluster }: ClusterAddress): string {
  const where = cluster === null ? '' : `, cluster ${cluster}`;
  return `ClickHouse at ${new URL(url).host}${where}, database ${database}`;
}
