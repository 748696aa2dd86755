import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startClickhouseCluster } from '../../test/support/clickhouse-cluster.ts';
import { csvRows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { pacedRegion, type Role, type Roles, startRoles } from '../harness/roles.ts';
import { median, takeTurns } from '../harness/turns.ts';
import type { Finding } from '../report/finding.ts';

const rounds = 3;
/** Fewer rounds to save time, because this side has no target. */
const roundsOfFour = 2;
const jobsPerLane = 4;
/** Too large for a small job, of which one worker runs several at once. */
const rowsPerFile = 30_000;
/** A file takes most of a second to download, and a few hundredths of that to load. */
const bytesPerSecond = 2_100_000;
const bytesPerRow = 42;
const importsPath = '/v1/marketplace/import';
const filesOfOneJob = 16;
/** The files of one job have more than 32 MiB, so that several workers read them together. */
const rowsPerSharedFile = 55_000;
/** Each file takes about 7 seconds to download. */
const sharedBytesPerSecond = 320_000;

/** More workers run more jobs at once, and each lane keeps its order. */
export const workers: BenchCase = {
  name: 'workers',
  async run({ scaled }) {
    const rows = scaled(rowsPerFile);
    const sharedMegabytes = Math.round((filesOfOneJob * rowsPerSharedFile * bytesPerRow) / 1e6);
    const files = await measureEngine('run files', rows, {});
    const hasClickhouse = existsSync('/usr/sbin/clickhouse-server');
    const shards = hasClickhouse ? await measureCluster(rows) : null;
    return {
      title: `Separate workers, ${jobsPerLane} imports in each lane, slow object storage`,
      findings: [...files.findings, ...(shards?.findings ?? [])],
      remarks: [
        `Whole processes: one tributary api and the stated number of tributary worker --concurrency 1, with one PostgreSQL. Each import downloads a file of ${rows.toLocaleString('en')} rows from S3 at ${bytesPerSecond / 1_000} KB a second, so a worker mostly waits and two cores suffice for four workers. Each worker loads one file before the clock starts. The time is from the first request to the end of the last import.`,
        `One job of ${filesOfOneJob} files: ${sharedMegabytes} MB at ${sharedBytesPerSecond / 1_000} KB a second for each download. A worker downloads eight files at once. The count of devices is checked, and that the second worker read some of the files.`,
        'In every round the jobs of each lane ran one after the other, in the order of their IDs, and the result was that of the last job.',
        hasClickhouse
          ? 'The cluster is two processes of clickhouse-server on the same two cores.'
          : 'This machine has no clickhouse-server, so the cluster was not measured.',
      ],
      measured: { ...files.measured, ...shards?.measured },
    };
  },
};

async function measureCluster(rows: number) {
  await using cluster = await startClickhouseCluster();
  const setting = cluster.setting.replace('/database?', '/bench?');
  return await measureEngine('two shards', rows, { TRIBUTARY_WAREHOUSE: setting });
}

async function measureEngine(
  engine: string,
  rows: number,
  settings: Readonly<Record<string, string>>,
): Promise<{ findings: Finding[]; measured: Record<string, number[]> }> {
  await using roles = await startRoles(bytesPerSecond, settings);
  const lanes: Lane[] = [];
  for (let number = 1; number <= 4; number++) lanes.push(await prepareLane(roles, rows));
  await putSharedFiles(roles, lanes[0]!);
  const names = {
    one: `${engine}: one worker, two lanes`,
    two: `${engine}: two workers, two lanes`,
    four: `${engine}: four workers, four lanes`,
    alone: `${engine}: one worker, one job of ${filesOfOneJob} files`,
    together: `${engine}: two workers, one job of ${filesOfOneJob} files`,
  };
  const turns = await takeTurns(rounds, {
    [names.one]: { run: () => work(roles, lanes.slice(0, 2), 1) },
    [names.two]: { run: () => work(roles, lanes.slice(0, 2), 2) },
    [names.four]: { run: () => work(roles, lanes, 4), rounds: roundsOfFour },
    [names.alone]: { run: () => readOneJob(roles, lanes, 1) },
    [names.together]: { run: () => readOneJob(roles, lanes, 2) },
  });
  const seconds = (name: string) =>
    ({ value: median(turns[name]!), unit: 's', of: turns[name]!.length }) as const;
  const peer = { name: 'one worker', ...seconds(names.one) };
  return {
    findings: [
      {
        what: names.two,
        ours: seconds(names.two),
        peer,
        target: { kind: 'times_peer', limit: 0.6 },
      },
      { what: `${names.four}, twice the jobs`, ours: seconds(names.four), peer },
      {
        what: names.together,
        ours: seconds(names.together),
        peer: { name: 'one worker', ...seconds(names.alone) },
        target: { kind: 'times_peer', limit: 0.6 },
      },
    ],
    measured: turns,
  };
}

interface Lane {
  readonly partnerId: number;
  readonly call: ReturnType<Roles['as']>;
  /** The path and the credentials of the files. */
  readonly source: { readonly prefix: string; readonly credentials: object };
  /** The rows of each file, which are also the attribute's devices after it. */
  readonly devices: readonly number[];
}

/** Creates a partner with an attribute and a file for each of its jobs. */
async function prepareLane(roles: Roles, rows: number): Promise<Lane> {
  const operator = roles.as(roles.adminToken);
  const { partner_id } = await operator<{ partner_id: number }>('POST', '/admin/v1/partners', {
    name: 'lane',
  });
  const path = `/admin/v1/partners/${partner_id}`;
  const { api_key } = await operator<{ api_key: string }>('POST', `${path}/api-keys`, {});
  const { bucket, prefix, accessKeyId, secretAccessKey } = await operator<
    Record<'bucket' | 'prefix' | 'accessKeyId' | 'secretAccessKey', string>
  >('POST', `${path}/storage-credentials`);
  const call = roles.as(api_key);
  await call('POST', '/v1/marketplace/attribute', {
    name: 'K',
    description: '',
    partner_foreign_key: '1000',
  });
  const devices = Array.from({ length: jobsPerLane }, (_, job) => rows - job);
  for (const [job, count] of devices.entries()) {
    await roles.putObject(partner_id, `${job}.csv`, await fileOf(count));
  }
  return {
    partnerId: partner_id,
    call,
    source: {
      prefix: `s3://${bucket}/${prefix}`,
      credentials: { accessKeyId, secretAccessKey, region: pacedRegion },
    },
    devices,
  };
}

/** All rows have the same attribute. */
async function fileOf(rows: number): Promise<Buffer> {
  const chunks = await Array.fromAsync(csvRows({ rows, cell: 'empty' }));
  return Buffer.from(Buffer.concat(chunks).toString().replaceAll(',\n', ',1000\n'));
}

/** Every file has the same devices, except the last ones. */
async function putSharedFiles(roles: Roles, { partnerId }: Lane): Promise<void> {
  for (let file = 0; file < filesOfOneJob; file++) {
    await roles.putObject(partnerId, `shared/${file}.csv`, await fileOf(rowsPerSharedFile - file));
  }
}

/** Seconds until `count` workers have imported all files of one job. */
async function readOneJob(roles: Roles, lanes: readonly Lane[], count: number): Promise<number> {
  await using running = new AsyncDisposableStack();
  const workers = await startWorkers(roles, lanes, count, running);
  roles.limitRate(sharedBytesPerSecond);
  running.defer(() => roles.limitRate(bytesPerSecond));
  const lane = lanes[0]!;
  const before = performance.now();
  const job = await queuePath(lane, 'shared/');
  await untilDone(lane, job);
  const seconds = (performance.now() - before) / 1_000;
  const attributes = await lane.call<{ unique_devices: number }[]>(
    'GET',
    '/v1/marketplace/attribute',
  );
  expectSame('devices of one job', attributes[0]?.unique_devices, rowsPerSharedFile);
  const helped = workers
    .flatMap((worker) => worker.logged())
    .some((line) => line.job === job && line.msg === 'parts read for another worker');
  expectSame('whether another worker read parts', helped, count > 1);
  return seconds;
}

/** Starts workers and runs one job on each, because workers live long and compile code only once. */
async function startWorkers(
  roles: Roles,
  lanes: readonly Lane[],
  count: number,
  running: AsyncDisposableStack,
): Promise<Role[]> {
  const started = await Promise.all(Array.from({ length: count }, () => roles.startWorker()));
  for (const worker of started) running.use(worker);
  await Promise.all(
    lanes.slice(0, count).map(async (lane) => untilDone(lane, await queue(lane, 0))),
  );
  return started;
}

/** Seconds until `count` workers have finished the jobs of the lanes. */
async function work(roles: Roles, lanes: readonly Lane[], count: number): Promise<number> {
  await using running = new AsyncDisposableStack();
  const started = await startWorkers(roles, lanes, count, running);
  const before = performance.now();
  const jobs = await Promise.all(lanes.map(queueAll));
  await Promise.all(lanes.map((lane, i) => untilDone(lane, jobs[i]!.at(-1)!)));
  const seconds = (performance.now() - before) / 1_000;
  for (const [i, lane] of lanes.entries()) await checkOrder(lane, jobs[i]!, started);
  return seconds;
}

async function queueAll(lane: Lane): Promise<number[]> {
  const ids: number[] = [];
  for (const file of lane.devices.keys()) ids.push(await queue(lane, file));
  return ids;
}

function queue(lane: Lane, file: number): Promise<number> {
  return queuePath(lane, `${file}.csv`);
}

async function queuePath({ call, source }: Lane, path: string): Promise<number> {
  const { import_log_id } = await call<{ import_log_id: number }>('POST', importsPath, {
    file_path: `${source.prefix}${path}`,
    path_type: 1,
    credentials: source.credentials,
    key_type: 1,
    mode: 'replace',
  });
  return import_log_id;
}

async function untilDone({ call }: Lane, job: number): Promise<void> {
  for (;;) {
    const log = await call<{ status: number }>('GET', `${importsPath}/${job}`);
    if (log.status === 2) return;
    if (log.status > 2) throw new Error(JSON.stringify(log));
    await sleep(20);
  }
}

/** Throws unless each job of the lane started after the one before it was committed. */
async function checkOrder(
  { call, devices }: Lane,
  jobs: readonly number[],
  workers: readonly Role[],
): Promise<void> {
  const attributes = await call<{ unique_devices: number }[]>('GET', '/v1/marketplace/attribute');
  expectSame('devices at the end', attributes[0]?.unique_devices, devices.at(-1));
  const lines = workers.flatMap((worker) => worker.logged());
  const moments: number[] = [];
  for (const job of jobs) {
    const starts = lines.filter((line) => line.job === job && line.msg === 'job started');
    // Twice if it was first tried as a small job.
    expectSame(`whether job ${job} was started`, starts.length > 0, true);
    const log = await call<{ updated_at: string }>('GET', `${importsPath}/${job}`);
    const started = starts.map(({ time }) => Date.parse(time)).toSorted((a, b) => a - b);
    moments.push(...started, Date.parse(log.updated_at));
  }
  expectSame(
    'the order of a lane',
    moments,
    moments.toSorted((a, b) => a - b),
  );
}
