import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf } from '../../../acceptance/api.ts';
import type { Audience, AudienceDetails } from '../../../acceptance/audience/ingest.ts';
import { until } from '../../../acceptance/service.ts';
import { deviceRows } from '../../../support/devices.ts';
import { randomOf } from '../../../support/seeded.ts';
import {
  type ServiceProcesses,
  startServiceProcesses,
} from '../../../support/service-processes.ts';

const partners = 2;
const requestsPerSecond = 50;
const workers = 2;
const files = ['day/0.csv', 'day/1.csv', 'day/2.csv'];
const soak = process.env.TRIBUTARY_SOAK === '1';
const audiencesPerPartner = soak ? 20 : 8;
const rowsPerFile = soak ? 200_000 : 20_000;
/** For the jobs. The whole test may take half as much again. */
const longestMs = soak ? 1_200_000 : 100_000;
/** Half of a file's devices are also in the next file. */
const half = rowsPerFile / 2;
const path = '/v2/firstparty/audience';

let service: ServiceProcesses;
let api: ReturnType<typeof apiOf>;
beforeAll(async () => {
  service = await startServiceProcesses(workers);
  api = apiOf({ url: service.apiUrl });
});
afterAll(() => service?.[Symbol.asyncDispose]());

interface Watched {
  readonly apiKey: string;
  readonly audienceId: number;
  /** Incremented when a clear begins and when it ends, so it is odd during a clear. */
  epoch: number;
  isPending: boolean;
  readonly samples: Sample[];
}

/** One response, with the epochs of its request and of its arrival. */
interface Sample {
  readonly requested: number;
  readonly answered: number;
  readonly details: AudienceDetails;
}

test(
  `${partners * audiencesPerPartner} audiences load in order while details are read ${requestsPerSecond} times a second, and every count is correct at any moment`,
  async () => {
    const all = await Promise.all(Array.from({ length: partners }, startPartner));
    const watched: Watched[] = [];
    const polling = new AbortController();
    const watching = poll(watched, polling.signal);
    const lists = all.map(({ apiKey }) => collectLists(apiKey, polling.signal));
    await Promise.all(
      all.map(async ({ apiKey }) => clearSome(await createAudiences(apiKey, watched))),
    );
    await until('all jobs to end', async () => (await service.openJobs()) === 0, longestMs);
    polling.abort();
    await watching;

    for (const each of watched) {
      checkSamples(each);
      const loaded = each.epoch === 0;
      expect(await detailsOf(each)).toMatchObject({
        status: 2,
        uploaded_devices: loaded ? rowsPerFile * files.length : 0,
        unique_devices: loaded ? half * (files.length + 1) : 0,
      });
    }
    // At least one audience was seen with only some of its files finished.
    expect(watched.some(({ samples }) => samples.some(isHalfway))).toBe(true);
    for (const list of await Promise.all(lists)) checkLists(list);
    for (const { partnerId } of all) await checkEnds(partnerId);
  },
  1.5 * longestMs,
);

/** The partner's import adds an attribute to some of the devices. */
async function startPartner(_: unknown, index: number) {
  const { partner_id: partnerId, apiKey } = await api.createPartner(service.adminToken, 'acme');
  const key = `k${index}`;
  await api.createAttribute(apiKey, { name: key, partner_foreign_key: key });
  const upload = (name: string, first: number, label: string) => {
    const text = deviceRows(first, first + rowsPerFile, label);
    return api.putObject(service.adminToken, partnerId, name, text);
  };
  for (const [i, name] of files.entries()) await upload(name, i * half, 'seen');
  await upload('import.csv', index * half, key);
  return { partnerId, apiKey };
}

/** Half of them from one prefix, half from files appended one by one, with an import in between. */
async function createAudiences(apiKey: string, watched: Watched[]): Promise<Watched[]> {
  const own: Watched[] = [];
  for (let i = 0; i < audiencesPerPartner; i++) {
    const [first = '', ...others] = i % 2 === 0 ? ['day/'] : files;
    const body = { name: `audience ${i}`, file_path: first };
    const answer = await api.call('POST', path, apiKey, body);
    const { audience_id: audienceId } = (await answer.json()) as { audience_id: number };
    const created: Watched = { apiKey, audienceId, epoch: 0, isPending: false, samples: [] };
    watched.push(created);
    own.push(created);
    for (const file_path of others) {
      await api.call('PATCH', `${path}/${audienceId}`, apiKey, { file_path });
    }
    if (i === audiencesPerPartner / 2) await api.queueImport(apiKey, 'import.csv', 1);
  }
  return own;
}

/** Clears one audience before its load, one probably during it and one after it. */
async function clearSome(own: readonly Watched[]): Promise<void> {
  for (const each of [own.at(-1), own.at(5), own.at(0)]) {
    if (!each) continue;
    each.epoch++;
    const answer = await api.call('PUT', `${path}/${each.audienceId}`, each.apiKey);
    expect(answer.status).toBe(204);
    each.epoch++;
    await sleep(300);
  }
}

async function detailsOf({ apiKey, audienceId }: Watched): Promise<AudienceDetails> {
  const answer = await api.call('GET', `${path}/${audienceId}`, apiKey);
  expect(answer.status).toBe(200);
  return (await answer.json()) as AudienceDetails;
}

/** Sends requests at a fixed rate, however long the responses take. */
async function poll(watched: readonly Watched[], signal: AbortSignal): Promise<void> {
  const random = randomOf('polling');
  const requests: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let tick = 1; !signal.aborted; tick++) {
    const free = watched.filter(({ isPending }) => !isPending);
    const open = free.filter(({ samples }) => (samples.at(-1)?.details.status ?? 0) < 2);
    // Two of three requests are for audiences that are loading or next.
    const from = open.length > 0 && random(3) > 0 ? open.slice(0, 2 * partners) : free;
    const each = from[random(Math.max(1, from.length))];
    if (each) requests.push(sample(each));
    const due = startedAt + (tick * 1_000) / requestsPerSecond;
    await sleep(Math.max(0, due - performance.now()));
  }
  await Promise.all(requests);
}

async function sample(each: Watched): Promise<void> {
  each.isPending = true;
  const requested = each.epoch;
  const details = await detailsOf(each);
  each.samples.push({ requested, answered: each.epoch, details });
  each.isPending = false;
}

/** No count and no file status decreases unless a clear came in between. */
function checkSamples({ samples }: Watched): void {
  expect(samples.length).toBeGreaterThan(0);
  for (const [i, sample] of samples.entries()) {
    checkSample(sample.details);
    const before = samples[i - 1];
    const isUndisturbed = before?.requested === sample.answered && sample.answered % 2 === 0;
    if (!before || !isUndisturbed) continue;
    const [earlier, later] = [before.details, sample.details];
    for (const count of ['uploaded_devices', 'unique_devices', 'matched_devices'] as const) {
      expect([count, later[count] >= earlier[count], earlier, later]).toEqual([
        count,
        true,
        earlier,
        later,
      ]);
    }
    for (const [place, { status }] of earlier.file.entries()) {
      expect(later.file[place]?.status).toBeGreaterThanOrEqual(status);
    }
  }
}

/** A file is finished exactly when its devices are counted. */
function checkSample(details: AudienceDetails): void {
  const { uploaded_devices, unique_devices, matched_devices, file } = details;
  const finished = file.filter(({ status }) => status === 2);
  const rows = finished.reduce((sum, { rows_uploaded }) => sum + rows_uploaded, 0);
  const numbers = finished.map(({ s3_path }) => files.findIndex((name) => s3_path.endsWith(name)));
  const halves = new Set(numbers.flatMap((number) => [number, number + 1]));
  expect({ file, uploaded_devices, unique_devices }).toEqual({
    file,
    uploaded_devices: rows,
    unique_devices: halves.size * half,
  });
  expect(uploaded_devices).toBeGreaterThanOrEqual(unique_devices);
  expect(unique_devices).toBeGreaterThanOrEqual(matched_devices);
}

function isHalfway({ details: { unique_devices } }: Sample): boolean {
  return unique_devices > 0 && unique_devices < half * (files.length + 1);
}

/** Collects a partner's lists; each is a snapshot of one moment. */
async function collectLists(apiKey: string, signal: AbortSignal): Promise<Audience[][]> {
  const lists: Audience[][] = [];
  while (!signal.aborted) {
    lists.push((await (await api.call('GET', path, apiKey)).json()) as Audience[]);
    await sleep(200);
  }
  return lists;
}

/** No audience is loading or loaded while an earlier one is not loaded. */
function checkLists(lists: readonly Audience[][]): void {
  for (const list of lists) {
    const firstOpen = list.findIndex(({ status }) => status < 2);
    const behind = firstOpen < 0 ? [] : list.slice(firstOpen + 1);
    expect(behind.filter((each) => each.status === 1 || each.unique_devices > 0)).toEqual([]);
  }
}

/** The partner's jobs ended in the order of their ids. */
async function checkEnds(partnerId: number): Promise<void> {
  const rows = await service.db
    .selectFrom('job')
    .select(['job_id', 'updated_at'])
    .where('partner_id', '=', partnerId)
    .where('state', '=', 'done')
    .orderBy('job_id')
    .execute();
  const ends = rows.map(({ updated_at }) => updated_at.getTime());
  expect(ends.toSorted((a, b) => a - b)).toEqual(ends);
  expect(rows.length).toBeGreaterThan(audiencesPerPartner);
}
