import { join } from 'node:path';
import { openDatabase } from '../../src/records/database/connection.ts';
import { startEmbeddedServer } from '../../src/records/database/embedded/server.ts';
import { createRecords, type Records } from '../../src/records/records.ts';
import { adminTokenOf } from '../acceptance/api.ts';
import { type Service, startService, temporaryFolder, until } from '../acceptance/service.ts';
import { freePort } from './free-port.ts';
import { descendants, stillRunning } from './processes.ts';
import { testSealing } from './sealing.ts';

export const victims = ['worker', 'api', 'database', 'all'] as const;
type Victim = (typeof victims)[number];

const commands: Readonly<Record<Exclude<Victim, 'all'>, RegExp>> = {
  worker: /main\.ts worker/,
  api: /main\.ts api/,
  database: /postgres -D/,
};

/** The whole service, whose processes can be killed, and its records after it is stopped. */
export interface CrashingService extends AsyncDisposable {
  readonly url: string;
  readonly adminToken: string;
  readonly warehouseDir: string;
  /** Kills with SIGKILL. The supervisor restarts a single process; if all are killed, the test does. */
  kill(victim: Victim): Promise<void>;
  /** Stops the service for good and opens its records. */
  stopAndOpen(): Promise<StoppedService>;
}

interface StoppedService extends AsyncDisposable {
  readonly records: Records;
  /** The number of jobs with more than one attempt. */
  interruptedJobs(): Promise<number>;
}

export async function startCrashingService(
  env: Readonly<Record<string, string>>,
): Promise<CrashingService> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await temporaryFolder());
  const dataDir = join(folder.path, 'data');
  const options = { dataDir, port: await freePort(), s3Port: await freePort(), env };
  let service: Service = await startService(options);
  starting.defer(() => service[Symbol.asyncDispose]());
  const adminToken = await adminTokenOf(dataDir);
  const running = starting.move();

  async function killOne(command: RegExp): Promise<void> {
    // It may still be restarting after the last kill.
    const victim = await until('the victim to live', async () =>
      (await descendants(service.pid)).find((entry) => command.test(entry.command)),
    );
    kill(victim.pid);
  }

  async function killAll(): Promise<void> {
    const below = await descendants(service.pid);
    for (const { pid } of below) kill(pid);
    service.signal('SIGKILL');
    await service.exited;
    await until('all to be gone', async () => (await stillRunning(below)).length === 0);
    service = await startService(options);
  }

  return {
    url: service.url,
    adminToken,
    warehouseDir: join(dataDir, 'warehouse'),
    kill: (victim) => (victim === 'all' ? killAll() : killOne(commands[victim])),
    async stopAndOpen() {
      await service[Symbol.asyncDispose]();
      await using opening = new AsyncDisposableStack();
      const server = await startEmbeddedServer(dataDir);
      opening.defer(() => server.stop());
      const db = openDatabase({ url: server.url, schema: 'tributary', maxConnections: 5 });
      opening.defer(() => db.destroy());
      const open = opening.move();
      return {
        records: createRecords(db, testSealing),
        async interruptedJobs() {
          const again = db.selectFrom('job').select('job_id').where('attempt', '>', 1);
          return (await again.execute()).length;
        },
        [Symbol.asyncDispose]: () => open.disposeAsync(),
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** It may already have exited with its parent. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
