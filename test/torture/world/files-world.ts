import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type ClusterKind, startClickhouseCluster } from '../../support/clickhouse-cluster.ts';
import { startFaultyProxy } from '../../support/faulty-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { descendants } from '../../support/processes.ts';
import { programFile } from '../../support/program.ts';
import { quickFolder } from '../../support/quick-folder.ts';
import { type Disk, mountDisk } from '../../support/small-disk.ts';
import { until } from '../until.ts';
import { clickhouseFaults, placeIn } from './clickhouse-faults.ts';
import { openClock } from './clock.ts';
import {
  bucketFaults,
  clockFaults,
  freezing,
  kill,
  longFreezeMs,
  outageMs,
  shortFreezeMs,
  stopping,
} from './faults.ts';
import { createFilesBackups } from './files-backups.ts';
import { type KeptProcess, keepProcess } from './kept-process.ts';
import { openDataDir } from './open-data-dir.ts';
import { below, type Find } from './signals.ts';
import type { Fault, World } from './world.ts';

/** More than a run of some hours needs. Only what is written takes memory. */
const diskSize = 'size=8g';
const mebibyte = 1024 * 1024;

/**
 * `npm start` as systemd would run it, and a second worker beside it, with the embedded engine. The device sets may
 * move to ClickHouse.
 */
export async function startFilesWorld(move: ClusterKind | undefined): Promise<World> {
  const isRoot = process.getuid?.() === 0;
  const disk = isRoot ? await mountDisk(`${diskSize},mode=0711`) : undefined;
  const folder = disk?.path ?? (await mkdtemp(join(await quickFolder(), 'tributary-torture-')));
  await chmod(folder, 0o711);
  const [port, s3Port] = [await freePort(), await freePort()];
  const adminToken = randomBytes(32).toString('hex');
  const ownBucket = await startFaultyProxy(`http://127.0.0.1:${s3Port}`);
  const clusters = move ? [await startClickhouseCluster(move)] : [];
  const clock = await openClock(folder);
  const backups = join(folder, 'backups');
  const realTime = {
    TRIBUTARY_DATA_DIR: join(folder, 'data'),
    TRIBUTARY_PORT: String(port),
    TRIBUTARY_S3_PORT: String(s3Port),
    TRIBUTARY_ADMIN_TOKEN: adminToken,
    TRIBUTARY_SECRET_KEY: randomBytes(32).toString('hex'),
    TRIBUTARY_DISK_RESERVE: '64MiB',
    TRIBUTARY_RATE_LIMIT: '1000000',
    TRIBUTARY_DISCLOSURE: 'exact',
    // So that the small imports here have profiles, too.
    TRIBUTARY_PROFILE_MIN: '2',
    // Jobs meet more kills here than anywhere else, and none may fail for that.
    TRIBUTARY_MAX_WORKER_LOSSES: '100',
    TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify({ 'us-east-1': ownBucket.endpoint }),
    TRIBUTARY_LOG_FORMAT: 'json',
    TRIBUTARY_BACKUP_TARGET: backups,
  };
  const settings = { ...realTime, ...clock?.settings };
  const log = join(folder, 'service.log');
  const service = keepProcess([programFile('src/process/main.ts')], settings, log);
  const database = below(service.pid, /postgres -D/);
  const databaseUrl = await until('the database to start', () => socketUrl(service));
  const url = `http://127.0.0.1:${port}`;
  await until('the service to start', async () => {
    const ready = await fetch(`${url}/readyz`).catch(() => undefined);
    return ready?.ok;
  });
  const second = keepProcess(
    [programFile('src/cli/tributary.ts'), 'worker'],
    { ...settings, DATABASE_URL: databaseUrl },
    join(folder, 'second-worker.log'),
  );
  const servers = clickhouseFaults(clusters);
  const processes = { service, second, database };
  const running = new AsyncDisposableStack();
  for (const each of [...clusters, ownBucket, service, second]) running.use(each);
  const stop = () => running.disposeAsync();
  return {
    url,
    adminToken,
    folder,
    storageKeys: () => undefined,
    kills: [...killsOf(processes), ...servers.kills],
    outages: [
      ...outagesOf(processes),
      { name: 'cut the database', inject: () => cutDatabase(databaseUrl) },
      ...bucketFaults('the own bucket', ownBucket),
      ...servers.outages,
      ...(disk ? [fillDisk(disk)] : []),
      ...(clock ? clockFaults(clock) : []),
    ],
    impossible: [
      ...(disk ? [] : ['fill the disk (needs root)']),
      ...(clock ? [] : ['set the clock (needs libfaketime)']),
    ],
    places: ['files', ...clusters.map(placeIn)],
    backups: createFilesBackups(folder, backups, realTime),
    async stopAndOpen() {
      await stop();
      return openDataDir(settings.TRIBUTARY_DATA_DIR);
    },
    async remove() {
      await stop();
      if (disk) await disk[Symbol.asyncDispose]();
      else await rm(folder, { recursive: true });
    },
    [Symbol.asyncDispose]: stop,
  };
}

interface Processes {
  readonly service: KeptProcess;
  readonly second: KeptProcess;
  readonly database: Find;
}

function killsOf({ service, second, database }: Processes): Fault[] {
  const worker = below(service.pid, /main\.[jt]s worker/);
  const api = below(service.pid, /main\.[jt]s api/);
  const session = below(service.pid, /^postgres: tributary /);
  const all = async () => {
    const pid = service.pid();
    if (pid === undefined) return [];
    return [pid, ...(await descendants(pid)).map((entry) => entry.pid), ...(await second.find())];
  };
  // Some are listed twice to be drawn twice as often.
  return [
    kill('worker', worker),
    kill('worker', worker),
    kill('second worker', second.find),
    kill('second worker', second.find),
    kill('both workers', worker, second.find),
    kill('API', api),
    kill('API', api),
    kill('PostgreSQL', database),
    kill('session of PostgreSQL', session),
    kill('session of PostgreSQL', session),
    kill('API and PostgreSQL', api, database),
    kill('supervisor', service.find),
    kill('all', all),
  ];
}

function outagesOf({ service, second, database }: Processes): Fault[] {
  const wholeDatabase = async () => {
    const [pid] = await database();
    return pid === undefined ? [] : [pid, ...(await descendants(pid)).map((entry) => entry.pid)];
  };
  return [
    freezing('worker', below(service.pid, /main\.[jt]s worker/), longFreezeMs),
    freezing('second worker', second.find, longFreezeMs),
    freezing('API', below(service.pid, /main\.[jt]s api/), shortFreezeMs),
    freezing('PostgreSQL', wholeDatabase, shortFreezeMs),
    freezing('supervisor', service.find, shortFreezeMs),
    stopping('the service', service, 'process'),
    stopping('the service', service, 'group'),
  ];
}

/** Ends all sessions, again and again, as a network that fails does. */
async function cutDatabase(url: string): Promise<void> {
  const until = performance.now() + outageMs;
  while (performance.now() < until) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => {});
    await client
      .connect()
      .then(() =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where pid <> pg_backend_pid() and backend_type = 'client backend'`,
        ),
      )
      // It may have been killed as well.
      .catch(() => {});
    await client.end().catch(() => {});
    await sleep(500);
  }
}

function fillDisk(disk: Disk): Fault {
  return {
    name: 'fill the disk',
    fillsDisk: true,
    async inject(random) {
      // Nothing, too little for PostgreSQL, or less than the reserve.
      const left = [0, 4, 48][random(3)]! * mebibyte;
      await until('the disk to be full', async () => {
        const { blocks, bfree, bsize } = await statfs(disk.path);
        // Fails if more was written meanwhile.
        return disk.remount(`size=${(blocks - bfree) * bsize + left}`).then(
          () => true,
          () => false,
        );
      });
      await sleep(outageMs);
      await disk.remount(diskSize);
    },
  };
}

/** The address of the embedded database, which is the same after every start. */
async function socketUrl(service: KeptProcess): Promise<string | undefined> {
  const pid = service.pid();
  const entries = pid === undefined ? [] : await descendants(pid);
  for (const { command } of entries) {
    const folder = /postgres -D.*unix_socket_directories=(\S+)/.exec(command)?.[1];
    if (folder) return `postgres://tributary@localhost/postgres?host=${encodeURIComponent(folder)}`;
  }
  return undefined;
}
