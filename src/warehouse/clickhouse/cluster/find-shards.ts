import { createServer, type ServerAddress } from './server.ts';

interface ListedShard {
  readonly host: string;
  readonly port: string;
  /** Whether the server that lists it takes it for itself. */
  readonly isLocal: boolean;
}

/**
 * A shard's host is in the list of the cluster; its port for us is that of the server we know. Each
 * spreads rows by its own list, so all must mean the same by it.
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
    throw new Error(`shards of cluster ${cluster} have one host: each needs an address of its own`);
  }
  for (const [i, each] of addresses.entries()) {
    const theirs = await listShards(each, cluster);
    const { host } = new URL(each.url);
    if (placesOf(theirs) !== placesOf(listed)) {
      const names = `${new URL(address.url).host} and ${host}`;
      throw new Error(`${names} do not agree on what the shards of cluster ${cluster} are`);
    }
    const mistaken = theirs.findIndex(({ isLocal }, j) => isLocal && j !== i);
    if (mistaken >= 0) {
      throw new Error(
        `${host} takes shard ${mistaken + 1} of cluster ${cluster} for itself: each must be another server, and those of one machine must each have a tcp_port of their own`,
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
  if (shards.length === 0) throw new Error(`${server.name} knows no cluster ${cluster}`);
  if (shards.some(([, , , , weight]) => weight !== '1')) {
    throw new Error(`the shards of cluster ${cluster} have weights, which are not provided for`);
  }
  if (new Set(shards.map(([number]) => number)).size < shards.length) {
    throw new Error(`the shards of cluster ${cluster} have replicas, which are not provided for`);
  }
  return shards.map(([, host = '', port = '', isLocal]) => ({
    host,
    port,
    isLocal: isLocal === '1',
  }));
}

function placesOf(shards: readonly ListedShard[]): string {
  return JSON.stringify(shards.map(({ host, port }) => [host, port]));
}
