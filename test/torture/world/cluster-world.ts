import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allOf } from '../../support/all-of.ts';
import { type ClusterKind, startClickhouseCluster } from '../../support/clickhouse-cluster.ts';
import { startFaultyProxy } from '../../support/faulty-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { programFile } from '../../support/program.ts';
import { type Relay, startRelay } from '../../support/relay.ts';
import { startSwift } from '../../support/swift-server.ts';
import { until } from '../until.ts';
import { clickhouseFaults, placeIn, warehouseDatabase } from './clickhouse-faults.ts';
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
import { keepPostgres } from './kept-postgres.ts';
import { type KeptProcess, keepProcess } from './kept-process.ts';
import { openCluster } from './open-cluster.ts';
import type { Fault, World } from './world.ts';

/** Separate processes on PostgreSQL, OpenStack Swift and ClickHouse. The device sets may move to another place. */
export async function startClusterWorld(
  kind: ClusterKind,
  move: 'files' | ClusterKind | undefined,
): Promise<World> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tributary-torture-'));
  await chmod(folder, 0o711);
  const [database, warehouse, swift] = await allOf(
    starting,
    keepPostgres(join(folder, 'database')),
    startClickhouseCluster(kind),
    startSwift(),
  );
  const hasOther = move !== undefined && move !== 'files';
  const clusters = [
    warehouse,
    ...(hasOther ? [starting.use(await startClickhouseCluster(move))] : []),
  ];
  const relay = starting.use(await startRelay(database.url));
  const bucket = starting.use(await startFaultyProxy(swift.endpoint));
  const clock = await openClock(folder);
  const port = await freePort();
  const adminToken = randomBytes(32).toString('hex');
  const secretKey = randomBytes(32).toString('hex');
  const settings = {
    DATABASE_URL: relay.url,
    TRIBUTARY_WAREHOUSE: placeIn(warehouse),
    TRIBUTARY_BUCKET: swift.bucket,
    TRIBUTARY_S3_ENDPOINT: bucket.endpoint,
    TRIBUTARY_S3_REGION: swift.region,
    TRIBUTARY_S3_ACCESS_KEY_ID: swift.accessKeyId,
    TRIBUTARY_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
    TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify({ [swift.region]: bucket.endpoint }),
    TRIBUTARY_PORT: String(port),
    TRIBUTARY_ADMIN_TOKEN: adminToken,
    TRIBUTARY_SECRET_KEY: secretKey,
    TRIBUTARY_RATE_LIMIT: '1000000',
    TRIBUTARY_DISCLOSURE: 'exact',
    TRIBUTARY_MAX_WORKER_LOSSES: '100',
    TRIBUTARY_LOG_FORMAT: 'json',
    ...clock?.settings,
  };
  const [api, one, other] = ['api', 'worker', 'worker'].map((role, i) =>
    starting.use(
      keepProcess(
        [programFile('src/cli/tributary.ts'), role],
        {
          ...settings,
          // Run files must be in a folder that all processes share.
          TRIBUTARY_DATA_DIR: join(folder, move === 'files' ? 'data' : `data-${i}`),
        },
        join(folder, `${role}-${i}.log`),
      ),
    ),
  ) as [KeptProcess, KeptProcess, KeptProcess];
  const url = `http://127.0.0.1:${port}`;
  await until('the service to start', async () => {
    const ready = await fetch(`${url}/readyz`).catch(() => undefined);
    return ready?.ok;
  });
  const servers = clickhouseFaults(clusters);
  const running = starting.move();
  const stop = () => running.disposeAsync();
  return {
    url,
    adminToken,
    folder,
    storageKeys: (partnerId) => swift.partners[partnerId],
    kills: [
      kill('worker', one.find),
      kill('worker', other.find),
      kill('both workers', one.find, other.find),
      kill('API', api.find),
      kill('API and worker', api.find, one.find),
      kill('PostgreSQL', database.server),
      kill('all', one.find, other.find, api.find, database.server),
      ...servers.kills,
    ],
    outages: [
      freezing('worker', one.find, longFreezeMs),
      freezing(
        'both workers',
        async () => [...(await one.find()), ...(await other.find())],
        longFreezeMs,
      ),
      freezing('API', api.find, shortFreezeMs),
      freezing('PostgreSQL', database.all, shortFreezeMs),
      stopping('worker', one, 'process'),
      stopping('API', api, 'process'),
      ...relayFaults(relay),
      ...servers.outages,
      ...bucketFaults('the bucket', bucket),
      ...(clock ? clockFaults(clock) : []),
    ],
    impossible: clock ? [] : ['set the clock (needs libfaketime)'],
    places: [...clusters.map(placeIn), ...(move === 'files' ? ['files'] : [])],
    backups: null,
    async stopAndOpen() {
      for (const each of [api, one, other]) await each[Symbol.asyncDispose]();
      return openCluster(database.url, secretKey, warehouse, warehouseDatabase);
    },
    async remove() {
      await stop();
      await rm(folder, { recursive: true });
    },
    [Symbol.asyncDispose]: stop,
  };
}

function relayFaults(relay: Relay): Fault[] {
  const fault = (name: string, breakIt: () => void | Promise<void>): Fault => ({
    name,
    async inject() {
      await breakIt();
      await sleep(outageMs);
      await relay.cut();
      await relay.mend();
    },
  });
  return [fault('cut the database', relay.cut), fault('silence the database', relay.hold)];
}
