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

export function clickhouseKills(clusters: readonly ClickhouseCluster[]): Fault[] {
  return clusters.flatMap((cluster, i) =>
    cluster.folders.map((_, server) => killShard(cluster, server, nameOf(i))),
  );
}

export function clickhouseOutages(clusters: readonly ClickhouseCluster[]): Fault[] {
  return clusters.flatMap((cluster, i) => [
    freezeShard(cluster, nameOf(i)),
    ...replicaFaults(cluster, nameOf(i)),
  ]);
}

function nameOf(cluster: number): string {
  return cluster === 0 ? 'ClickHouse server' : 'ClickHouse server of the other cluster';
}

function killShard(warehouse: ClickhouseCluster, server: number, name: string): Fault {
  return {
    name: `kill ${name} ${server}`,
    async inject() {
      await warehouse.kill(server);
      await warehouse.start(server);
    },
  };
}

function freezeShard(warehouse: ClickhouseCluster, name: string): Fault {
  return {
    name: `freeze a ${name}`,
    async inject(random) {
      const server = random(warehouse.folders.length);
      warehouse.freeze(server);
      await sleep(shortFreezeMs);
      warehouse.unfreeze(server);
    },
  };
}

/** Faults of one server that the other replica of its shard makes up for. */
function replicaFaults(warehouse: ClickhouseCluster, name: string): Fault[] {
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
        await warehouse.kill(server);
        await sleep(longFreezeMs);
        await warehouse.start(server);
      },
    },
    {
      name: `replace a ${name} by an empty one`,
      async inject(random) {
        const server = random(warehouse.folders.length);
        await warehouse.kill(server);
        // If the other is behind, the rows would be lost for good.
        if (await hasAllInserts(warehouse, server ^ 1)) await warehouse.empty(server);
        await warehouse.start(server);
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
