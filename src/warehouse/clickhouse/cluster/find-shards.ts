import { createServer, type ServerAddress } from './server.ts';

interface ListedShard {
  readonly host: string;
  readonly port: string;
  /** Whether the listing server considers this shard to be itself. */
  readonly isLocal: boolean;
}

/**
 * Shard hosts come from the cluster's list; all use the HTTP port of the configured server.
 * Each server distributes rows by its own list, so all lists must agree.
 */
export async function findShards(
  address: ServerAddress,
  cluster: string | null,
): Promise<ServerAddress[]> {
  if (cluster === null) return [address];
  const { username, password } = address;
  const listed = await listShards(address, cluster);
  const addresses = listed.map(({ host }) => {
    const url = new URL(address.url);
    url.hostname = host.includes(':') ? `[${host}]` : host;
    return { url: url.origin, username, password };
  });
  if (new Set(addresses.map(({ url }) => url)).size < addresses.length) {
    throw new Error(
      `two shards of cluster ${cluster} have the same host: give each its own address`,
    );
  }
  for (const [i, each] of addresses.entries()) {
    const own = await listShards(each, cluster);
    const { host } = new URL(each.url);
    if (addressesOf(own) !== addressesOf(listed)) {
      const names = `${new URL(address.url).host} and ${host}`;
      throw new Error(`${names} list different shards for cluster ${cluster}`);
    }
    const mistaken = own.findIndex(({ isLocal }, j) => isLocal && j !== i);
    if (mistaken >= 0) {
      throw new Error(
        `${host} considers shard ${mistaken + 1} of cluster ${cluster} to be itself: each shard must be a separate server, and servers on one machine need different tcp_port values`,
      );
    }
  }
  return addresses;
}

async function listShards(address: ServerAddress, cluster: string): Promise<ListedShard[]> {
  await using server = createServer(address, 'default');
  const shards = await server.select(
    `select shard_num, host_name, port, is_local, shard_weight from system.clusters where cluster = '${cluster}' order by shard_num, replica_num`,
  );
  if (shards.length === 0) throw new Error(`${server.name} has no cluster named ${cluster}`);
  if (shards.some(([, , , , weight]) => weight !== '1')) {
    throw new Error(`the shards of cluster ${cluster} have weights, which are not supported`);
  }
  if (new Set(shards.map(([number]) => number)).size < shards.length) {
    throw new Error(`the shards of cluster ${cluster} have replicas, which are not supported`);
  }
  return shards.map(([, host = '', port = '', isLocal]) => ({
    host,
    port,
    isLocal: isLocal === '1',
  }));
}

function addressesOf(shards: readonly ListedShard[]): string {
  return JSON.stringify(shards.map(({ host, port }) => [host, port]));
}
