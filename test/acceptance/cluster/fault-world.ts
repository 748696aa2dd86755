import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inject } from 'vitest';
import { allOf } from '../../support/all-of.ts';
import {
  type ClickhouseCluster,
  startClickhouseCluster,
} from '../../support/clickhouse-cluster.ts';
import { type FaultyProxy, startFaultyProxy } from '../../support/faulty-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { type OutsidePostgres, startOutsidePostgres } from '../../support/outside-postgres.ts';
import { sharedSwift } from '../../support/shared-swift.ts';
import { launchRole, type RoleApart, startRole } from '../role-apart.ts';
import { temporaryFolder } from '../service.ts';

/** A service of separate processes, each with its own data dir, on servers that can fail. */
export interface FaultWorld extends AsyncDisposable {
  readonly url: string;
  readonly adminToken: string;
  readonly database: OutsidePostgres;
  /** The proxy in front of the bucket. */
  readonly bucket: FaultyProxy;
  readonly warehouse: ClickhouseCluster;
  readonly api: RoleApart;
  /** Each runs one job at a time. */
  readonly workers: readonly RoleApart[];
  addWorker(): Promise<void>;
  /** Launches a worker with other settings, which may fail to start. */
  launchWorker(settings: Readonly<Record<string, string>>): RoleApart;
}

export async function startFaultWorld(): Promise<FaultWorld> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await temporaryFolder()).path;
  const [database, warehouse, swift] = await allOf(
    starting,
    startOutsidePostgres(),
    startClickhouseCluster(),
    sharedSwift(inject('swiftSocket')),
  );
  const bucket = starting.use(await startFaultyProxy(swift.endpoint));
  const adminToken = randomBytes(32).toString('hex');
  const port = await freePort();
  const settings = {
    DATABASE_URL: database.url,
    TRIBUTARY_SECRET_KEY: randomBytes(32).toString('hex'),
    TRIBUTARY_ADMIN_TOKEN: adminToken,
    TRIBUTARY_PORT: String(port),
    TRIBUTARY_WAREHOUSE: warehouse.setting.replace('/database?', '/faults?'),
    TRIBUTARY_BUCKET: swift.bucket,
    TRIBUTARY_S3_ENDPOINT: bucket.endpoint,
    TRIBUTARY_S3_REGION: swift.region,
    TRIBUTARY_S3_ACCESS_KEY_ID: swift.accessKeyId,
    TRIBUTARY_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
  };
  let roles = 0;
  const settingsOf = (role: number) => ({
    ...settings,
    TRIBUTARY_DATA_DIR: join(folder, `data-${role}`),
  });
  const startApart = (...command: string[]) => startRole(command, settingsOf(roles++));
  const startWorker = () => startApart('worker', '--concurrency', '1');
  const [api, ...workers] = await allOf(starting, startApart('api'), startWorker(), startWorker());
  const running = starting.move();
  return {
    url: `http://127.0.0.1:${port}`,
    adminToken,
    database,
    bucket,
    warehouse,
    api,
    workers,
    launchWorker: (others) => launchRole(['worker'], { ...settingsOf(roles++), ...others }),
    async addWorker() {
      workers.push(running.use(await startWorker()));
    },
    async [Symbol.asyncDispose]() {
      // A worker that is still frozen would not receive the signal to stop.
      for (const worker of workers) worker.signal('SIGCONT');
      await running.disposeAsync();
    },
  };
}
