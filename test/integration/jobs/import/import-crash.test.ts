import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { apiOf, type ImportLog } from '../../../acceptance/api.ts';
import { until } from '../../../acceptance/service.ts';
import {
  applyJob,
  contentOf,
  type ModelFile,
  type ModelJob,
  type ModelState,
} from '../../../support/crash-model.ts';
import {
  type CrashingService,
  startCrashingService,
  victims,
} from '../../../support/crashing-service.ts';
import { randomOf } from '../../../support/seeded.ts';
import { openTestWarehouse } from '../../../support/warehouse.ts';

const rounds = process.env.TRIBUTARY_SOAK === '1' ? 50 : 5;
const partners = 2;
const filesPerPartner = 6;
/** Enough that a job is running at any moment. */
const openJobsPerPartner = 3;
const keys = ['a', 'b', 'c'];
const latestKillMs = 1_500;
const roundTimeoutMs = 60_000;

interface CrashPartner {
  readonly partnerId: number;
  readonly apiKey: string;
  readonly files: readonly ModelFile[];
  /** The expected contents of its attributes, computed from the files. */
  readonly state: ModelState;
  /** Its logs as they were when their jobs ended. */
  readonly logs: ImportLog[];
}

type Random = (below: number) => number;

test(
  `kill -9 of worker, API, database and all of them, in ${rounds} rounds, loses no job and runs none twice`,
  async () => {
    await using service = await startCrashingService({ TRIBUTARY_RATE_LIMIT: '1000000' });
    const all = await Promise.all(
      Array.from({ length: partners }, (_, i) => startPartner(service, randomOf(`partner ${i}`))),
    );
    for (let round = 0; round < rounds; round++) {
      // The operations depend only on the round number; their timing depends on the machine.
      const random = randomOf(`round ${round}`);
      // In turn, so that a few rounds cover all of them.
      const victim = victims[round % victims.length] ?? 'all';
      const description = `round ${round}, killing ${victim}`;
      const killing = new AbortController();
      const submitting = Promise.all(
        all.map((partner) => submitUntil(killing.signal, service, partner, `round ${round}`)),
      );
      await sleep(random(latestKillMs));
      await service.kill(victim);
      killing.abort();
      const submitted = await submitting;
      for (const [i, partner] of all.entries()) {
        await checkRound(service, partner, submitted[i] ?? [], description);
      }
    }
    for (const partner of all) await checkNothingChanged(service, partner);
    await checkWhatIsLeft(service, all);
  },
  30_000 + rounds * roundTimeoutMs,
);

async function startPartner(service: CrashingService, random: Random): Promise<CrashPartner> {
  const api = apiOf(service);
  const { partner_id, apiKey } = await api.createPartner(service.adminToken, 'acme');
  for (const key of keys)
    await api.createAttribute(apiKey, { name: key, partner_foreign_key: key });
  const files = Array.from({ length: filesPerPartner }, (_, i) => planFile(`${i}.csv`, random));
  for (const file of files) {
    await api.putObject(service.adminToken, partner_id, file.name, contentOf(file));
  }
  const state = new Map(keys.map((key) => [key, new Set<number>()]));
  return { partnerId: partner_id, apiKey, files, state, logs: [] };
}

function planFile(name: string, random: Random): ModelFile {
  const first = random(30_000);
  return {
    name,
    first,
    last: first + random(40_000),
    keys: someKeys(random),
    // A file with removals cannot be used with mode replace.
    removed: random(2) === 0 ? [] : Array.from({ length: 500 }, () => random(60_000)),
  };
}

function someKeys(random: Random): string[] {
  const chosen = keys.filter(() => random(2) === 0);
  return chosen.length > 0 ? chosen : keys.slice(0, 1);
}

function planJob(files: readonly ModelFile[], random: Random): ModelJob {
  const file = files[random(files.length)];
  if (!file || random(10) === 0) return { kind: 'missing' };
  if (random(4) === 0) return { kind: 'delete', keys: someKeys(random) };
  if (random(8) === 0) return { kind: 'dry run', file };
  return { kind: file.removed.length === 0 && random(2) === 0 ? 'replace' : 'merge', file };
}

interface Submitted {
  readonly jobId: number;
  readonly job: ModelJob;
}

/** Submits jobs one by one, each until it is answered. The Idempotency-Key prevents duplicates. */
async function submitUntil(
  killed: AbortSignal,
  service: CrashingService,
  { partnerId, apiKey, files }: CrashPartner,
  name: string,
): Promise<Submitted[]> {
  const random = randomOf(`${name}, partner ${partnerId}`);
  const submitted: Submitted[] = [];
  while (!killed.aborted) {
    const job = planJob(files, random);
    const send = () => submit(service.url, apiKey, job, `${name}, job ${submitted.length}`);
    const jobId = await until('a submission to be answered', send, roundTimeoutMs);
    submitted.push({ jobId, job });
    const earlier = submitted.at(-openJobsPerPartner);
    if (earlier) await apiOf(service).ended(apiKey, earlier.jobId, roundTimeoutMs);
  }
  return submitted;
}

/** The job's id; undefined if there was no response, or one from a service that is starting. */
async function submit(
  url: string,
  apiKey: string,
  job: ModelJob,
  idempotencyKey: string,
): Promise<number | undefined> {
  const { method, body } = requestOf(job);
  const request = {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify(body),
  };
  try {
    const answer = await fetch(`${url}/v1/marketplace/import`, request);
    const { import_log_id } = (await answer.json()) as { import_log_id?: number };
    if (answer.status !== 202) expect([409, 503]).toContain(answer.status);
    return import_log_id;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function requestOf(job: ModelJob): { method: string; body: object } {
  switch (job.kind) {
    case 'missing':
      return { method: 'POST', body: { file_path: 'missing.csv', key_type: 1 } };
    case 'delete':
      return { method: 'DELETE', body: { key_type: 1, keys: job.keys } };
    default: {
      const mode = job.kind === 'replace' ? 'replace' : 'merge';
      const body = { file_path: job.file.name, key_type: 1, mode, dry_run: job.kind === 'dry run' };
      return { method: 'POST', body };
    }
  }
}

/** Every job of the round has the expected outcome, and so have the attributes. */
async function checkRound(
  service: CrashingService,
  partner: CrashPartner,
  submitted: readonly Submitted[],
  description: string,
): Promise<void> {
  const api = apiOf(service);
  for (const { jobId, job } of submitted) {
    const log = await api.ended(partner.apiKey, jobId, roundTimeoutMs);
    expect({ description, job: job.kind, status: log.status, errors: log.errors }).toMatchObject({
      status: job.kind === 'missing' ? 3 : 2,
      errors: job.kind === 'missing' ? [{ code: 'no_files' }] : null,
    });
    partner.logs.push(log);
    applyJob(partner.state, job);
  }
  const attributes = await until('the attributes to be listed', () =>
    api.attributes(partner.apiKey).catch(() => undefined),
  );
  const counted = attributes.map((each) => [each.partner_foreign_key, each.unique_devices]);
  expect({ description, counted }).toEqual({ description, counted: expectedCounts(partner) });
}

function expectedCounts({ state }: CrashPartner) {
  return [...state].map(([key, devices]) => [key, devices.size]);
}

/** No job ended twice, and there are no jobs besides the submitted ones. */
async function checkNothingChanged(service: CrashingService, partner: CrashPartner): Promise<void> {
  const answer = await apiOf(service).call('GET', '/v1/marketplace/import', partner.apiKey);
  expect(await answer.json()).toEqual(partner.logs.toReversed().slice(0, 100));
}

/** Checks the device sets themselves, and that only referenced files are left. */
async function checkWhatIsLeft(
  service: CrashingService,
  all: readonly CrashPartner[],
): Promise<void> {
  const { signal } = new AbortController();
  await using opened = await service.stopAndOpen();
  const { records } = opened;
  // At least one job was interrupted, or the test proves nothing.
  expect(await opened.interruptedJobs()).toBeGreaterThan(0);
  await using warehouse = await openTestWarehouse(service.warehouseDir, records);
  const segmentIds: number[] = [];
  for (const { partnerId, state } of all) {
    const { numbers, segmentIds: ids } = await records.attributes.segmentKeys(partnerId, 1);
    for (const [key, devices] of state) {
      const segmentId = ids[numbers.get(key) ?? -1] ?? 0;
      expect(await warehouse.countDistinct([segmentId], signal)).toBe(devices.size);
      segmentIds.push(segmentId);
    }
  }
  const sets = all.flatMap(({ state }) => [...state.values()]);
  const distinct = new Set(sets.flatMap((devices) => [...devices])).size;
  expect(await warehouse.countDistinct(segmentIds, signal)).toBe(distinct);
  const universe = await warehouse.refreshUniverse(signal);
  expect(await warehouse.countDistinct([universe.segmentId], signal)).toBe(distinct);

  await warehouse.sweep(0);
  const runs = await records.manifest.runsOf([...segmentIds, universe.segmentId]);
  const referred = new Set(runs.map(({ file }) => file));
  expect((await readdir(service.warehouseDir)).toSorted()).toEqual([...referred].toSorted());
}
