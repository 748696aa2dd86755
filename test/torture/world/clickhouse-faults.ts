import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickhouseCluster } from '../../support/clickhouse-cluster.ts';
import { longFreezeMs, shortFreezeMs } from './faults.ts';
import type { Fault } from './world.ts';

/** The database of the device sets. */
export const warehouseDatabase = 'torture';

/** A value of TRIBUTARY_WAREHOUSE. */
export function placeIn(cluster: ClickhouseCluster): string {
  return cluster.setting.replace('/database?', `/${warehouseDatabase}?`);
}

/** Quick faults and longer ones of the servers. */
export function clickhouseFaults(clusters: readonly ClickhouseCluster[]): {
  readonly kills: Fault[];
  readonly outages: Fault[];
} {
  const faults = clusters.map((cluster, i) => {
    const [name, oneByOne] = [nameOf(i), createTurns()];
    return {
      kills: cluster.folders.map((_, server) => killShard(cluster, server, name, oneByOne)),
      outages: [freezeShard(cluster, name, oneByOne), ...replicaFaults(cluster, name, oneByOne)],
    };
  });
  return {
    kills: faults.flatMap(({ kills }) => kills),
    outages: faults.flatMap(({ outages }) => outages),
  };
}

type OneByOne = (server: number, fault: () => Promise<void>) => Promise<void>;

/** The faults of a server take turns, because two of them would start it twice. */
function createTurns(): OneByOne {
  const last = new Map<number, Promise<void>>();
  return (server, fault) => {
    const turn = (last.get(server) ?? Promise.resolve()).then(fault);
    last.set(
      server,
      turn.catch(() => {}),
    );
    return turn;
  };
}

function nameOf(cluster: number): string {
  return cluster === 0 ? 'ClickHouse server' : 'ClickHouse server of the other cluster';
}

function killShard(
  warehouse: ClickhouseCluster,
  server: number,
  name: string,
  oneByOne: OneByOne,
): Fault {
  return {
    name: `kill ${name} ${server}`,
    inject: () =>
      oneByOne(server, async () => {
        await warehouse.kill(server);
        await warehouse.start(server);
      }),
  };
}

function freezeShard(warehouse: ClickhouseCluster, name: string, oneByOne: OneByOne): Fault {
  return {
    name: `freeze a ${name}`,
    async inject(random) {
      const server = random(warehouse.folders.length);
      await oneByOne(server, async () => {
        warehouse.freeze(server);
        await sleep(shortFreezeMs);
        warehouse.unfreeze(server);
      });
    },
  };
}

/** Faults of one server during which the other replica of its shard does the work. */
function replicaFaults(warehouse: ClickhouseCluster, name: string, oneByOne: OneByOne): Fault[] {
  const { proxy } = warehouse;
  if (!proxy) return [];
  return [
    {
      name: `cut off a ${name}`,
      async inject() {
        proxy.answerAll('silence');
        await sleep(longFreezeMs);
        proxy.answerAll(null);
      },
    },
    {
      name: `switch off a ${name}`,
      async inject(random) {
        const server = random(warehouse.folders.length);
        await oneByOne(server, async () => {
          await warehouse.kill(server);
          await sleep(longFreezeMs);
          await warehouse.start(server);
        });
      },
    },
    {
      name: `replace a ${name} by an empty one`,
      async inject(random) {
        const server = random(warehouse.folders.length);
        await oneByOne(server, async () => {
          await warehouse.kill(server);
          // If the other is behind, the rows would be lost for good.
          if (await hasAllInserts(warehouse, server ^ 1)) await warehouse.empty(server);
          await warehouse.start(server);
        });
      },
    },
  ];
}

async function hasAllInserts(warehouse: ClickhouseCluster, server: number): Promise<boolean> {
  await using connections = new AsyncDisposableStack();
  const servers = warehouse.servers(warehouseDatabase).map((each) => connections.use(each));
  const found = await servers[server]!.select(
    `select max(is_readonly), sum(inserts_in_queue), sum(log_max_index >= log_pointer and log_max_index > 0)
    from system.replicas where database = currentDatabase()`,
  ).catch(() => []);
  return found[0]?.every((value) => value === '0') ?? false;
}
