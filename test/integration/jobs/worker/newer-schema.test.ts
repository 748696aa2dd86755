import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { untilSchemaIsNewer } from '../../../../src/jobs/worker/watch-schema.ts';
import { SchemaNewer } from '../../../../src/records/database/schema-version.ts';
import type { Claim } from '../../../../src/records/queue/jobs.ts';
import { freshLanes, type Lanes, patience } from '../../../support/lanes.ts';
import { commitMark } from '../../../support/marking-kind.ts';

let lanes: Lanes;
let acme: number;

beforeEach(async () => {
  lanes = await freshLanes();
  acme = await lanes.partner();
});
afterEach(() => lanes[Symbol.asyncDispose]());

/** What a newer version does when it starts. */
async function migrateToNewer(): Promise<void> {
  await sql`
    insert into migration (number, name) select max(number) + 1, 'newer' from migration
  `.execute(lanes.db);
}

it('an older process can neither claim nor commit, nor take jobs back', async () => {
  const { records } = lanes;
  const jobId = await lanes.submit(acme);
  await lanes.submit(await lanes.partner());
  const claim = (await records.jobs.claim(60))!;
  expect(claim.jobId).toBe(jobId);
  await migrateToNewer();
  expect(await records.jobs.claim(60)).toBeUndefined();
  await expect(commitMark(lanes.db, claim)).rejects.toThrow(SchemaNewer);
  await expect(records.jobs.lockClaim(claim)).rejects.toThrow(SchemaNewer);
  await expect(records.manifest.rewrite({ add: [], drop: [] })).rejects.toThrow(SchemaNewer);
  expect(await lanes.marks()).toEqual([]);
  expect(await lanes.job(jobId)).toEqual({ state: 'running', attempt: 1, losses: 0 });
  const { version, supported } = await records.schemaVersion();
  expect(version).toBe(supported + 1);
});

it('an older worker says so once and releases its job without a loss', async () => {
  const jobId = await lanes.submit(acme);
  const began = Promise.withResolvers<Claim>();
  await using worker = lanes.startWorker({
    work(claim) {
      began.resolve(claim);
      return new Promise(() => {});
    },
  });
  await began.promise;
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
  const { signal } = new AbortController();
  const outdated = untilSchemaIsNewer(lanes.records, log, 10, signal).then(worker.stop);
  await migrateToNewer();
  await outdated;
  await expect.poll(() => lanes.job(jobId), patience).toMatchObject({ state: 'pending' });
  expect(await lanes.job(jobId)).toEqual({ state: 'pending', attempt: 1, losses: 0 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('worker outdated');
});

it('a commit that reaches the newer schema first is deferred without a loss', async () => {
  const jobId = await lanes.submit(acme);
  await using worker = lanes.startWorker({ beforeSettling: migrateToNewer });
  await expect
    .poll(() => lanes.job(jobId), patience)
    .toEqual({ state: 'pending', attempt: 1, losses: 0 });
  expect(await lanes.marks()).toEqual([]);
  expect(worker.logged.join('')).toContain('job deferred');
});
