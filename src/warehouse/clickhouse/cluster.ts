import { messageOf } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import { areMigrated, type Layout, migrateShards } from './migrate.ts';
import { createServer, type QueryOptions, type Server, type ServerAddress } from './server.ts';

export interface ClusterAddress extends ServerAddress, Layout {}

/** All shards, found and brought to this version when they are first needed. */
export interface Cluster extends AsyncDisposable {
  /** Where rows of loads go, to be spread over the shards. */
  readonly loadedTable: string;
  /** In their order. */
  shards(): Promise<readonly Server[]>;
  /** Asks every shard at once. None is ever left out: one that is away is an error. */
  onEach<T>(work: (shard: Server) => Promise<T>): Promise<T[]>;
  /** The counts that shards give for the same keys, added up. */
  sums(sql: string, options: QueryOptions): Promise<Map<string, number>>;
  /** Throws, in words for an operator, unless every shard can be written to. */
  checkReady(): Promise<void>;
}

export function createCluster(
  address: ClusterAddress,
  records: Pick<Records, 'exclusively' | 'installation'>,
): Cluster {
  const servers = new AsyncDisposableStack();
  let opened: Promise<readonly Server[]> | undefined;

  function shards(): Promise<readonly Server[]> {
    // What failed is tried again by whoever asks next.
    opened ??= open(address, records, servers).catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  async function onEach<T>(work: (shard: Server) => Promise<T>): Promise<T[]> {
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
  records: Pick<Records, 'exclusively' | 'installation'>,
  servers: AsyncDisposableStack,
): Promise<readonly Server[]> {
  const { database } = address;
  const addresses = await findShards(address);
  await using made = new AsyncDisposableStack();
  for (const each of addresses) {
    await using bare = createServer(each, 'default');
    await bare.execute(`create database if not exists ${database}`);
  }
  const shards = addresses.map((each) => made.use(createServer(each, database)));
  const layout = { ...address, installationId: await records.installation.identify() };
  if (!(await areMigrated(shards, layout))) {
    const { signal } = new AbortController();
    await records.exclusively('warehouse migrations', () => migrateShards(shards, layout), signal);
  }
  servers.use(made.move());
  return shards;
}

/** A shard's host is in the list of the cluster; its port for us is that of the server we know. */
async function findShards(address: ClusterAddress): Promise<ServerAddress[]> {
  const { cluster, username, password } = address;
  if (cluster === null) return [address];
  const listed = await listShards(address, cluster);
  const addresses = listed.map(([, host = '']) => {
    const url = new URL(address.url);
    url.hostname = host.includes(':') ? `[${host}]` : host;
    return { url: url.origin, username, password };
  });
  for (const each of addresses) {
    // Each spreads rows by its own list.
    if (JSON.stringify(await listShards(each, cluster)) === JSON.stringify(listed)) continue;
    const names = `${new URL(address.url).host} and ${new URL(each.url).host}`;
    throw new Error(`${names} do not agree on what the shards of cluster ${cluster} are`);
  }
  return addresses;
}

async function listShards(address: ServerAddress, cluster: string): Promise<string[][]> {
  await using server = createServer(address, 'default');
  const shards = await server.select(
    `select shard_num, host_name, port, shard_weight from system.clusters where cluster = '${cluster}' order by shard_num, replica_num`,
  );
  if (shards.length === 0) throw new Error(`${server.name} knows no cluster ${cluster}`);
  if (new Set(shards.map(([number]) => number)).size < shards.length) {
    throw new Error(`the shards of cluster ${cluster} have replicas, which are not provided for`);
  }
  return shards;
}
