import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type FreshRecords, freshRecords } from './database.ts';
import { freePort } from './free-port.ts';
import { programFile } from './program.ts';

export interface ServiceProcesses extends FreshRecords {
  readonly apiUrl: string;
  readonly adminToken: string;
  /** The logs of the processes, the API first. */
  logged(): string[];
  /** The number of open jobs. */
  openJobs(): Promise<number>;
}

/** The processes that a supervisor starts, one API and several workers, with their own records. */
export async function startServiceProcesses(
  workers: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServiceProcesses> {
  await using starting = new AsyncDisposableStack();
  const fresh = starting.use(await freshRecords());
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-processes-'));
  starting.defer(() => rm(dataDir, { recursive: true, force: true }));
  const [port, s3Port] = [await freePort(), await freePort()];
  const adminToken = randomBytes(32).toString('hex');
  const s3Url = `http://127.0.0.1:${s3Port}`;
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATABASE_URL: fresh.url,
    TRIBUTARY_DATABASE_SCHEMA: fresh.schema,
    TRIBUTARY_DATA_DIR: dataDir,
    TRIBUTARY_PORT: String(port),
    TRIBUTARY_S3_PORT: String(s3Port),
    TRIBUTARY_ADMIN_TOKEN: adminToken,
    TRIBUTARY_RATE_LIMIT: '1000000',
    TRIBUTARY_DISCLOSURE: 'exact',
    // The only region, so no request goes to AWS.
    TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify({ 'us-east-1': s3Url }),
    ...settings,
  };
  const logged: string[] = [];
  // The first process creates the secret key for the others.
  const roles = ['api', ...Array.from({ length: workers }, () => 'worker')];
  for (const [index, role] of roles.entries()) {
    // Without the flags of the test runner.
    const child = fork(programFile('src/process/main.ts'), [role], {
      env,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    starting.defer(() => ended(child));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      logged[index] = (logged[index] ?? '') + text;
    });
    const [report] = await once(child, 'message');
    if (!report.ready) throw new Error(`the ${role} process: ${report.failed}`);
  }
  const running = starting.move();
  return {
    ...fresh,
    apiUrl: `http://127.0.0.1:${port}`,
    adminToken,
    async openJobs() {
      const { rows } = await sql<{ open: number }>`
        select count(*) as open from job where state in ('pending', 'running')
      `.execute(fresh.db);
      return rows[0]!.open;
    },
    logged: () => roles.map((_, index) => logged[index] ?? ''),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
