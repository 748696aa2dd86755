import { codeOf, messageOf, TributaryError } from '../../../domain/errors.ts';
import { type ReplicaReport, WrongWarehouse } from '../../port.ts';
import { createChoices, revive } from './choice.ts';
import type { Cluster, ClusterAddress, ClusterRecords } from './cluster.ts';
import { type OpenServers, openServers } from './open-servers.ts';
import { pickedCluster } from './picked-cluster.ts';
import { probe, quickMs, ReplicaFault, reasonsOf, setAside } from './replica.ts';
import type { Server } from './server.ts';

/** All servers of all shards. They are discovered and migrated on first use. */
export interface Replicas extends AsyncDisposable {
  /** One server of each shard, for one piece of work. */
  cluster(): Cluster;
  /** Runs work on one server of each shard, and again on others if one of them fails or is behind. */
  use<T>(work: (cluster: Cluster) => Promise<T>): Promise<T>;
  /** Every server that answers, and the names of the others. At least one of each shard answers. */
  every(): Promise<EveryServer>;
  /** Throws an error that operators understand if a shard cannot be written to. */
  checkReady(): Promise<void>;
  /** Checks the state of every server. Empty if shards have one server each. */
  states(): Promise<ReplicaReport[]>;
}

export interface EveryServer {
  readonly servers: readonly Server[];
  readonly absent: readonly string[];
}

/** Two servers may fail during one piece of work. */
const mostAttempts = 3;

export function createReplicas(address: ClusterAddress, records: ClusterRecords): Replicas {
  const connections = new AsyncDisposableStack();
  let opened: Promise<OpenServers> | undefined;
  const choices = createChoices(open);

  function open(): Promise<OpenServers> {
    // After a failure the next call tries again.
    opened ??= openServers(address, records, connections).catch((error) => {
      opened = undefined;
      if (error instanceof TributaryError) throw error;
      // Any other failure is for the operator to fix, so jobs wait instead of failing.
      throw new TributaryError('unavailable', `The warehouse cannot be used: ${messageOf(error)}`, {
        cause: error,
      });
    });
    return opened;
  }

  async function use<T>(work: (cluster: Cluster) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const { cluster, canRetry } = pickedCluster(open, choices);
      try {
        return await work(cluster);
      } catch (error) {
        const isLast = attempt === mostAttempts || codeOf(error) !== 'unavailable';
        if (isLast || !(await canRetry(error))) throw error;
      }
    }
  }

  /** Asks all servers; those that fail are set aside. */
  async function askAll(): Promise<OpenServers> {
    const servers = await open();
    await Promise.all(
      servers.shards.flat().map(async (replica) => {
        if (replica.state !== 'up') await revive(replica, servers.admit);
        else await probe(replica, quickMs).catch((error) => setAside(replica, 'down', error));
      }),
    );
    return servers;
  }

  return {
    cluster: () => pickedCluster(open, choices).cluster,
    use,
    async every() {
      const { shards, isReplicated } = await open();
      if (!isReplicated) return { servers: shards.flat().map(({ server }) => server), absent: [] };
      await askAll();
      const silent = shards.find((replicas) => replicas.every(({ state }) => state === 'down'));
      if (silent) throw new ReplicaFault(`The warehouse is unavailable. ${reasonsOf(silent)}`);
      const all = shards.flat();
      return {
        servers: all.filter(({ state }) => state !== 'down').map(({ server }) => server),
        absent: all.filter(({ state }) => state === 'down').map(({ server }) => server.name),
      };
    },
    async checkReady() {
      const insert = 'insert into probe values (1)';
      // A replicated table then keeps one part, but still needs ZooKeeper and the disk.
      const options = { timeoutMs: 2_500, settings: { insert_deduplicate: 1 } };
      try {
        await use((cluster) => cluster.onEach((shard) => shard.execute(insert, options)));
      } catch (error) {
        if (error instanceof WrongWarehouse) throw error;
        throw new Error(`the warehouse cannot be written to: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
    async states() {
      if (!(await open()).isReplicated) return [];
      const { shards } = await askAll();
      return shards.flat().map(({ server, state, reason }) => ({
        name: server.name,
        state,
        reason: state === 'up' ? '' : reason,
      }));
    },
    [Symbol.asyncDispose]: () => connections.disposeAsync(),
  };
}
