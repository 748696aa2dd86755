import { setTimeout as sleep } from 'node:timers/promises';
import { TributaryError } from '../../../domain/errors.ts';
import type { Choice, Choices } from './choice.ts';
import { addUp, allSettled, type Cluster, type CountRows, clusterOf } from './cluster.ts';
import type { OpenServers } from './open-servers.ts';
import { type Replica, ReplicaFault, reasonsOf, setAside } from './replica.ts';
import type { QueryOptions } from './server.ts';

const mostHeldKeys = 1_000_000;
const pollMs = 20;
/** A replica has this long to copy rows, plus time for their number. Then it counts as behind. */
const copyMs = 5_000;
const copiedRowsPerMs = 1_000;

interface PickedCluster {
  readonly cluster: Cluster;
  /** Whether the error is due to a server, and every shard has another that is up. */
  canRetry(error: unknown): Promise<boolean>;
}

/** A cluster of servers that are picked when they are first needed. */
export function pickedCluster(
  open: () => Promise<OpenServers>,
  { pick, findRestarted }: Choices,
): PickedCluster {
  let picked: Promise<Choice> | undefined;

  function choice(): Promise<Choice> {
    picked ??= pick().catch((error) => {
      picked = undefined;
      throw error;
    });
    return picked;
  }

  async function replicasBeside(chosen: Replica): Promise<Replica[]> {
    const { shards } = await open();
    return shards[chosen.shard]!.filter((replica) => replica !== chosen);
  }

  const servers = async () => (await choice()).replicas.map(({ server }) => server);
  const base = clusterOf(servers);

  /** The counts of a shard, after the other replicas that are up count the same. */
  async function countCopies(
    chosen: Replica,
    sql: string,
    options: QueryOptions,
  ): Promise<string[][]> {
    const counts = await chosen.server.select(sql, options);
    const rows = counts.reduce((sum, [, count]) => sum + Number(count), 0);
    const deadline = performance.now() + copyMs + rows / copiedRowsPerMs;
    const others = await replicasBeside(chosen);
    const copies = await Promise.all(
      others
        .filter(({ state }) => state === 'up')
        .map((other) => waitForCopy(other, counts, sql, options, deadline)),
    );
    const holders = 1 + copies.filter((isCopied) => isCopied).length;
    // Of two replicas, one may be down. Of more, at least half must hold the rows.
    if (holders >= (others.length + 1) / 2) return counts;
    throw new TributaryError(
      'unavailable',
      `Only ${holders} of ${others.length + 1} replicas of shard ${chosen.shard + 1} hold the new rows. ${reasonsOf(others)}`,
    );
  }

  return {
    cluster: {
      ...base,
      async sumsOfCopies(sql, options) {
        const { replicas } = await choice();
        return addUp(await allSettled(replicas.map((each) => countCopies(each, sql, options))));
      },
      async holds(expected, count) {
        const { held, isReplicated } = await choice();
        const unknown = [...expected.keys()].filter((key) => !held.has(key));
        if (!isReplicated || unknown.length === 0) return true;
        const counts = addUp(await base.onEach((server) => count(server, unknown)));
        if (unknown.some((key) => (counts.get(key) ?? 0) < expected.get(key)!)) return false;
        if (held.size > mostHeldKeys) held.clear();
        for (const key of unknown) held.add(key);
        return true;
      },
      async findBehind(keys, count) {
        const { replicas } = await choice();
        const behind = await allSettled(
          replicas.map(async (chosen) =>
            isBehind(chosen, await replicasBeside(chosen), keys, count),
          ),
        );
        if (behind.includes(true)) {
          return new ReplicaFault('A server of the warehouse is behind the others');
        }
        const { shards } = await open();
        return new TributaryError(
          'unavailable',
          `The servers that answer lack rows of the manifest. ${reasonsOf(shards.flat())}`,
        );
      },
      async checkSame() {
        const restarted = await findRestarted(await choice());
        if (restarted) throw new ReplicaFault(`${restarted.server.name} was restarted`);
      },
    },
    async canRetry(error) {
      const made = await picked?.catch(() => undefined);
      if (!made?.isReplicated) return false;
      const hasFailed = made.replicas.some(({ state }) => state !== 'up');
      if (!hasFailed && !(error instanceof ReplicaFault)) return false;
      const { shards } = await open();
      return shards.every((replicas) => replicas.some(({ state }) => state === 'up'));
    },
  };
}

/** Waits until a replica counts the same. If that takes too long, it is set aside. */
async function waitForCopy(
  replica: Replica,
  counts: string[][],
  sql: string,
  options: QueryOptions,
  deadline: number,
): Promise<boolean> {
  const expected = inOrder(counts);
  for (;;) {
    // A replica that fails has been set aside.
    const found = await replica.server.select(sql, options).catch(() => undefined);
    options.signal?.throwIfAborted();
    if (!found) return false;
    if (inOrder(found) === expected) return true;
    if (performance.now() > deadline) {
      setAside(replica, 'behind', `${replica.server.name} has not copied new rows in time`);
      return false;
    }
    await sleep(pollMs, undefined, options.signal && { signal: options.signal });
  }
}

function inOrder(counts: readonly string[][]): string {
  return counts
    .map((row) => row.join('\t'))
    .sort()
    .join('\n');
}

/** Whether another replica that answers holds more rows of a key. If so, the replica is set aside. */
async function isBehind(
  replica: Replica,
  others: readonly Replica[],
  keys: readonly string[],
  count: CountRows,
): Promise<boolean> {
  const own = addUp([await count(replica.server, keys)]);
  for (const other of others) {
    if (other.state === 'down') continue;
    const found = await count(other.server, keys).catch(() => []);
    if (![...addUp([found])].some(([key, rows]) => rows > (own.get(key) ?? 0))) continue;
    setAside(replica, 'behind', `${replica.server.name} lacks rows that ${other.server.name} has`);
    return true;
  }
  return false;
}
