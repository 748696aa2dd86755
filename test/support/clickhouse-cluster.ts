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
import {
  clusterName,
  limitedUsername,
  password,
  serverConfig,
  username,
  usersOf,
} from './clickhouse-config.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { freePort } from './free-port.ts';
import { startZookeeper } from './zookeeper.ts';

export { limitedUsername };

/** The clusters that a test can start. The default is two shards of one server each. */
const sizes = {
  server: { shards: 1, replicas: 1 },
  shards: { shards: 2, replicas: 1 },
  replicas: { shards: 2, replicas: 2 },
} as const;

export type ClusterKind = keyof typeof sizes;

export function isClusterKind(text: string | undefined): text is ClusterKind {
  return text !== undefined && Object.hasOwn(sizes, text);
}

/** Servers from the Debian package. */
export interface ClickhouseCluster extends AsyncDisposable {
  /** The value of TRIBUTARY_WAREHOUSE, except for the database. */
  readonly setting: string;
  /** The address of a new, unused database. */
  freshAddress(): ClusterAddress;
  /** Where each server has its files. */
  readonly folders: readonly string[];
  /** Connections to one server of each shard, in order, for queries of the test. */
  shards(database: string): Server[];
  /** Connections to all servers. The replicas of a shard follow each other. */
  servers(database: string): Server[];
  /** Kills a server, as a power cut would; its files stay. */
  kill(server: number): Promise<void>;
  freeze(server: number): void;
  unfreeze(server: number): void;
  start(server: number): Promise<void>;
  /** Deletes the files of a killed server, as if another machine had its place. */
  empty(server: number): Promise<void>;
  /** In front of the HTTP port of the last server, if shards have replicas. The test's own connections avoid it. */
  readonly proxy: FaultyProxy | null;
}

const readyWithinMs = 120_000;

export async function startClickhouseCluster(
  kind: ClusterKind = 'shards',
): Promise<ClickhouseCluster> {
  const { shards: shardCount, replicas } = sizes[kind];
  const folder = await mkdtemp(join(tmpdir(), 'tributary-clickhouse-'));
  await using starting = new AsyncDisposableStack();
  starting.defer(() => rm(folder, { recursive: true, maxRetries: 5 }));
  const isReplicated = replicas > 1;
  const zookeeper = isReplicated ? starting.use(await startZookeeper(join(folder, 'zk'))) : null;
  // All servers use the same HTTP port, as on separate machines. Their TCP ports differ, because
  // ClickHouse recognises a local server by its port.
  const httpPort = await freePort();
  const proxiedPort = isReplicated ? await freePort() : httpPort;
  const last = shardCount * replicas - 1;
  const servers = await Promise.all(
    Array.from({ length: shardCount * replicas }, async (_, i) => {
      const host = `127.0.0.${i + 1}`;
      return {
        ...{ host, folder: join(folder, host), shard: Math.floor(i / replicas) },
        ...{ port: await freePort(), httpPort: i === last ? proxiedPort : httpPort },
        interserverPort: isReplicated ? await freePort() : null,
      };
    }),
  );
  const processes: ChildProcess[] = [];
  const url = (server: number) => `http://${servers[server]!.host}:${servers[server]!.httpPort}`;

  const connect = (server: number, database: string) =>
    createServer({ url: url(server), username, password }, database);

  async function start(server: number): Promise<void> {
    const config = join(servers[server]!.folder, 'config.xml');
    // It is killed together with this process, however that ends.
    const command = ['--pdeathsig', 'KILL', 'clickhouse-server', `--config-file=${config}`];
    const process = spawn('setpriv', command, { stdio: 'ignore' });
    processes[server] = process;
    await waitUntilReady(url(server), process);
  }

  async function kill(server: number): Promise<void> {
    const process = processes[server];
    if (!process || hasEnded(process)) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }

  starting.defer(async () => {
    await Promise.all(servers.map((_, i) => kill(i)));
  });
  for (const server of servers) {
    await mkdir(join(server.folder, 'data'), { recursive: true });
    await writeFile(join(server.folder, 'users.xml'), usersOf());
    const config = serverConfig(server, servers, zookeeper?.port ?? null);
    await writeFile(join(server.folder, 'config.xml'), config);
  }
  try {
    await Promise.all(servers.map((_, i) => start(i)));
  } catch (error) {
    const logs = await Promise.all(
      servers.map((server) => readFile(join(server.folder, 'log'), 'utf8').catch(() => '')),
    );
    throw new Error(`ClickHouse did not start: ${messageOf(error)}\n${logs.join('\n')}`);
  }
  const proxy = isReplicated
    ? starting.use(await startFaultyProxy(url(last), { host: servers[last]!.host, port: httpPort }))
    : null;
  const running = starting.move();
  const hosts = servers.map(({ host }) => host);
  const listed = isReplicated ? hosts.join(',') : hosts[0];
  const cluster = kind === 'server' ? null : clusterName;
  return {
    setting: `clickhouse://${username}:${encodeURIComponent(password)}@${listed}:${httpPort}/database?${cluster === null ? 'secure=false' : `cluster=${cluster}`}`,
    freshAddress: () => ({
      ...{ url: `http://${hosts[0]}:${httpPort}`, username, password },
      ...(isReplicated && {
        otherUrls: hosts.slice(1).map((host) => `http://${host}:${httpPort}`),
      }),
      database: `test_${randomBytes(6).toString('hex')}`,
      cluster,
    }),
    folders: servers.map((server) => join(server.folder, 'data')),
    shards: (database) =>
      servers.flatMap((_, i) => (i % replicas === 0 ? [connect(i, database)] : [])),
    servers: (database) => servers.map((_, i) => connect(i, database)),
    start,
    kill,
    freeze: (server) => processes[server]!.kill('SIGSTOP'),
    unfreeze: (server) => processes[server]!.kill('SIGCONT'),
    async empty(server) {
      const data = join(servers[server]!.folder, 'data');
      await rm(data, { recursive: true });
      await mkdir(data);
    },
    proxy,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
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
