import { codeOf } from '../../../domain/errors.ts';
import { createServer, type ServerAddress } from './server.ts';

/** A listing server that takes longer to answer counts as down. */
const listTimeoutMs = 5_000;

export interface FoundServer {
  readonly address: ServerAddress;
  /** The number of its shard, from 0. */
  readonly shard: number;
  /** Throws if the server does not answer, or its list of servers differs. */
  check(): Promise<void>;
}

interface ListedServer {
  readonly shard: number;
  readonly host: string;
  readonly port: string;
  /** Whether the listing server considers this one to be itself. */
  readonly isLocal: boolean;
}

/**
 * Hosts come from the cluster's list; all use the HTTP port of the configured server. Any of the
 * configured servers may be down.
 */
export async function findServers(
  configured: readonly ServerAddress[],
  cluster: string | null,
): Promise<FoundServer[]> {
  const [first] = configured;
  if (cluster === null) return [{ address: first!, shard: 0, check: async () => {} }];
  const { lister, listed } = await listFromAny(configured, cluster);
  const addresses = listed.map(({ host }) => {
    const url = new URL(first!.url);
    url.hostname = host.includes(':') ? `[${host}]` : host;
    return { ...first!, url: url.origin };
  });
  if (new Set(addresses.map(({ url }) => url)).size < addresses.length) {
    throw new Error(
      `two servers of cluster ${cluster} have the same host: give each its own address`,
    );
  }
  return addresses.map((address, i) => ({
    address,
    shard: listed[i]!.shard,
    async check() {
      const own = await listServers(address, cluster);
      const { host } = new URL(address.url);
      if (addressesOf(own) !== addressesOf(listed)) {
        const names = `${new URL(lister.url).host} and ${host}`;
        throw new Error(`${names} list different servers for cluster ${cluster}`);
      }
      // Old servers say it of all replicas of their own shard.
      const { shard } = listed[i]!;
      const mistaken = own.findIndex((each) => each.isLocal && each.shard !== shard);
      if (mistaken < 0) return;
      throw new Error(
        `${host} considers server ${mistaken + 1} of cluster ${cluster} to be itself: each must be a separate server, and servers on one machine need different tcp_port values`,
      );
    },
  }));
}

async function listFromAny(
  configured: readonly ServerAddress[],
  cluster: string,
): Promise<{ lister: ServerAddress; listed: ListedServer[] }> {
  let failure: unknown;
  for (const lister of configured) {
    try {
      return { lister, listed: await listServers(lister, cluster) };
    } catch (error) {
      if (codeOf(error) !== 'unavailable') throw error;
      failure = error;
    }
  }
  throw failure;
}

async function listServers(address: ServerAddress, cluster: string): Promise<ListedServer[]> {
  await using server = createServer(address, 'default');
  const servers = await server.select(
    `select shard_num, host_name, port, is_local, shard_weight from system.clusters where cluster = '${cluster}' order by shard_num, replica_num`,
    { timeoutMs: listTimeoutMs },
  );
  if (servers.length === 0) throw new Error(`${server.name} has no cluster named ${cluster}`);
  if (servers.some(([, , , , weight]) => weight !== '1')) {
    throw new Error(`the shards of cluster ${cluster} have weights, which are not supported`);
  }
  const numbers = [...new Set(servers.map(([number]) => number))];
  return servers.map(([number, host = '', port = '', isLocal]) => ({
    shard: numbers.indexOf(number),
    host,
    port,
    isLocal: isLocal === '1',
  }));
}

function addressesOf(servers: readonly ListedServer[]): string {
  return JSON.stringify(servers.map(({ shard, host, port }) => [shard, host, port]));
}
