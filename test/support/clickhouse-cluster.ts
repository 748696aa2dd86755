import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/domain/errors.ts';
import type { ClusterAddress } from '../../src/warehouse/clickhouse/cluster/cluster.ts';
import { createServer, type Server } from '../../src/warehouse/clickhouse/cluster/server.ts';
import { freePort } from './free-port.ts';

/** Two shards, each with its own server from the Debian package. */
export interface ClickhouseCluster extends AsyncDisposable {
  /** The value of TRIBUTARY_WAREHOUSE, except for the database. */
  readonly setting: string;
  /** The address of a new, unused database. */
  freshAddress(): ClusterAddress;
  /** Where each shard has its files. */
  readonly folders: readonly string[];
  /** Connections to the shards, in order, for queries of the test. */
  shards(database: string): Server[];
  /** Kills a shard, as a power cut would; its files stay. */
  kill(shard: number): Promise<void>;
  freeze(shard: number): void;
  unfreeze(shard: number): void;
  start(shard: number): Promise<void>;
}

const username = 'tributary';
/** A user with sets, groups and joins limited to 100 rows; beyond that it gets partial results, not an error. */
export const limitedUsername = 'limited';
const password = "it's a se:cr@t";
const clusterName = 'pair';
const readyWithinMs = 30_000;

export async function startClickhouseCluster(): Promise<ClickhouseCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-clickhouse-'));
  // Both shards use the same HTTP port, as on separate machines. Their TCP ports differ, because
  // ClickHouse recognises a local server by its port.
  const hosts = ['127.0.0.1', '127.0.0.2'];
  const httpPort = await freePort();
  const shards = await Promise.all(
    hosts.map(async (host) => ({ host, port: await freePort(), folder: join(folder, host) })),
  );
  const processes: ChildProcess[] = [];
  const url = (shard: number) => `http://${hosts[shard]}:${httpPort}`;

  async function start(shard: number): Promise<void> {
    const { folder } = shards[shard]!;
    const config = join(folder, 'config.xml');
    // It is killed together with this process, however that ends.
    const command = ['--pdeathsig', 'KILL', 'clickhouse-server', `--config-file=${config}`];
    const process = spawn('setpriv', command, { stdio: 'ignore' });
    processes[shard] = process;
    await waitUntilReady(url(shard), process);
  }

  async function kill(shard: number): Promise<void> {
    const process = processes[shard];
    if (!process || hasEnded(process)) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }

  const cluster: ClickhouseCluster = {
    setting: `clickhouse://${username}:${encodeURIComponent(password)}@${hosts[0]}:${httpPort}/database?cluster=${clusterName}`,
    freshAddress: () => ({
      url: url(0),
      username,
      password,
      database: `test_${randomBytes(6).toString('hex')}`,
      cluster: clusterName,
    }),
    folders: shards.map(({ folder }) => join(folder, 'data')),
    shards: (database) =>
      hosts.map((_, i) => createServer({ url: url(i), username, password }, database)),
    start,
    kill,
    freeze: (shard) => processes[shard]!.kill('SIGSTOP'),
    unfreeze: (shard) => processes[shard]!.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await Promise.all(shards.map((_, i) => kill(i)));
      await rm(folder, { recursive: true, maxRetries: 5 });
    },
  };
  try {
    for (const { folder, host, port } of shards) {
      await mkdir(join(folder, 'data'), { recursive: true });
      await writeFile(join(folder, 'users.xml'), usersOf());
      const config = serverConfig({ folder, host, port, httpPort }, shards);
      await writeFile(join(folder, 'config.xml'), config);
    }
    await Promise.all(shards.map((_, i) => start(i)));
    return cluster;
  } catch (error) {
    const logs = await Promise.all(
      shards.map(({ folder }) => readFile(join(folder, 'log'), 'utf8').catch(() => '')),
    );
    await cluster[Symbol.asyncDispose]();
    throw new Error(`ClickHouse did not start: ${messageOf(error)}\n${logs.join('\n')}`);
  }
}

interface ShardPlace {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
}

function serverConfig(
  { folder, host, port, httpPort }: ShardPlace & { httpPort: number },
  shards: readonly ShardPlace[],
): string {
  const replicas = shards.map(
    (shard) => `<shard><replica>
      <host>${shard.host}</host><port>${shard.port}</port>
      <user>${username}</user><password>${password}</password>
    </replica></shard>`,
  );
  return `<yandex>
  <logger><level>warning</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
  <listen_host>${host}</listen_host>
  <http_port>${httpPort}</http_port>
  <tcp_port>${port}</tcp_port>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/data/tmp/</tmp_path>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>16777216</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <keep_alive_timeout>3</keep_alive_timeout>
  <remote_servers>
    <${clusterName}>${replicas.join('')}</${clusterName}>
    <twice>${replicas.join('').replace(shards[1]!.host, shards[0]!.host)}</twice>
    <renamed>${replicas.join('').replace(shards[1]!.host, 'localhost')}</renamed>
    <mixed>${replicas.join('').replace(`<port>${shards[0]!.port}<`, `<port>${shards[1]!.port}<`)}</mixed>
    <weighted>${replicas.join('').replace('<shard>', '<shard><weight>2</weight>')}</weighted>
  </remote_servers>
</yandex>`;
}

function usersOf(): string {
  const userOf = (name: string, profile: string) => `<${name}>
    <password>${password}</password>
    <networks><ip>127.0.0.0/8</ip></networks>
    <profile>${profile}</profile>
    <quota>default</quota>
  </${name}>`;
  return `<yandex>
  <profiles>
    <default>
      <max_memory_usage>500000000</max_memory_usage>
      <max_threads>2</max_threads>
    </default>
    <limited>
      <extremes>1</extremes>
      <max_rows_to_group_by>100</max_rows_to_group_by>
      <group_by_overflow_mode>any</group_by_overflow_mode>
      <max_rows_in_set>100</max_rows_in_set>
      <set_overflow_mode>break</set_overflow_mode>
      <max_rows_in_join>100</max_rows_in_join>
      <join_overflow_mode>break</join_overflow_mode>
    </limited>
  </profiles>
  <users>${userOf(username, 'default')}${userOf(limitedUsername, 'limited')}</users>
  <quotas><default /></quotas>
</yandex>`;
}

async function waitUntilReady(url: string, process: ChildProcess): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    try {
      await fetch(url, { signal: AbortSignal.timeout(1_000) });
      return;
    } catch (error) {
      if (hasEnded(process) || Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
