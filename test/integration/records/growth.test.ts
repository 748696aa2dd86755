import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clearAudience } from '../../../src/actions/clear-audience.ts';
import { createAudience } from '../../../src/actions/create-audience.ts';
import { queueImport } from '../../../src/actions/queue-import.ts';
import { firstPage } from '../../../src/domain/page.ts';
import { createRecords, type Records } from '../../../src/records/records.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';
import { testSealing } from '../../support/sealing.ts';

/** Reads must not depend on how much there is. The rows that a query reads are counted here. */

const audienceCount = 300;
const loadsPerAudience = 50;
const fileCount = 5_000;

let fresh: FreshRecords;
/** Has audiences with many loads each, and a few imports before them. */
const acme = { partnerId: 1, customerId: null };
/** Has many imports, and one audience, whose files were all loaded by one job. */
const bravo = { partnerId: 2, customerId: null };
const audienceOfFiles = audienceCount + 1;

beforeAll(async () => {
  fresh = await freshRecords();
  const { records } = fresh;
  await records.partners.create('acme');
  await records.partners.create('bravo');
  const fill = [
    sql`insert into customer (name) values ('harbor')`,
    sql`insert into segment (segment_id, kind, version) overriding system value
      select 100 + n, 'audience', 1 from generate_series(1, ${audienceOfFiles}) as n`,
    sql`insert into audience (partner_id, customer_id, segment_id, name, matched_version, updated_at)
      select case when n <= ${audienceCount} then 1 else 2 end, case n % 3 when 0 then 1 end,
        100 + n, 'Audience ' || n, 0, now() + n * interval '1 second'
      from generate_series(1, ${audienceOfFiles}) as n`,
    sql`insert into job (partner_id, kind, state)
      select case when n <= 2000 then 2 else 1 end,
        case when n <= 2100 then 'import' else 'audience' end, 'done'
      from generate_series(1, 2100 + ${audienceCount * loadsPerAudience}) as n`,
    sql`insert into audience_load (job_id, audience_id, generation, path)
      select job_id, 1 + job_id % ${audienceCount}, 0, 'partner-1/' from job
      where kind = 'audience'`,
    sql`insert into import_log (job_id, log_type, file_path, path_type, key_type)
      select job_id, 0, 'devices.csv', 0, 0 from job where kind = 'import'`,
    sql`insert into job (job_id, partner_id, kind, state) overriding system value
      values (1000000, 2, 'audience', 'done')`,
    sql`insert into audience_load (job_id, audience_id, generation, path)
      values (1000000, ${audienceOfFiles}, 0, 'partner-2/')`,
    sql`insert into audience_file
        (audience_id, s3_path, job_id, attempt, position, state, ended_as, etag, rows_uploaded)
      select ${audienceOfFiles}, 'partner-2/' || n, 1000000, 1, n, 'done', 'done', 'e', 10
      from generate_series(1, ${fileCount}) as n`,
    sql`insert into run_file (file) values ('f')`,
    sql`insert into run (segment_id, file, first_row_group, row_groups, devices, bytes)
      select segment_id, 'f', segment_id, 1, 10, 160 from audience`,
    sql`insert into composition (audience_id, universe_version, segment_version, universe_devices,
        unique_devices, matched_devices, attribute_segments, attribute_versions, baseline_devices,
        audience_devices, label_segments, label_devices)
      select audience_id, 0, 1, 0, 10, 0, '{}', '{}', '{}', '{}', '{}', '{}' from audience`,
    sql`update audience set report_version = 0`,
    sql`insert into ended_jobs
      select partner_id, state, count(*) from job group by partner_id, state`,
    sql`analyze`,
  ];
  for (const statement of fill) await statement.execute(fresh.db);
});
afterAll(() => fresh[Symbol.asyncDispose]());

/** How many rows of tables a read takes from PostgreSQL's storage. */
async function rowsRead(read: (records: Records) => Promise<unknown>): Promise<number> {
  return fresh.db.transaction().execute(async (tx) => {
    const readSoFar = async () => {
      const { rows } = await sql<{ rows: number }>`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as rows
        from pg_stat_xact_user_tables
      `.execute(tx);
      return rows[0]!.rows;
    };
    // The tables here are so small that PostgreSQL would read some of them whole.
    await sql`set local enable_seqscan = off`.execute(tx);
    const before = await readSoFar();
    await read(createRecords(tx, testSealing));
    return (await readSoFar()) - before;
  });
}

describe('few rows are read, however many there are', () => {
  const page = 20;
  /** Of each listed audience: its row, runs, loads, jobs and owners. */
  const perAudience = 10;

  test.each([
    ['a partner', acme],
    ['a customer', { partnerId: null, customerId: 1 }],
    ['a customer of a partner', { partnerId: 1, customerId: 1 }],
  ])('for a page of the audiences of %s', async (_, scope) => {
    const ofConsole = { limit: page, search: '', after: null };
    expect(
      await rowsRead(({ recentAudiences }) => recentAudiences.list(scope, ofConsole)),
    ).toBeLessThan(page * perAudience);
    const [, last] = await fresh.records.recentAudiences.list(scope, { ...ofConsole, limit: 2 });
    const next = { ...ofConsole, after: last!.cursor };
    expect(await rowsRead(({ recentAudiences }) => recentAudiences.list(scope, next))).toBeLessThan(
      page * perAudience,
    );
    const byId = { after: audienceCount / 2, limit: page };
    expect(await rowsRead(({ audiences }) => audiences.list(scope, byId))).toBeLessThan(
      page * perAudience,
    );
  });

  test('for an audience with many files, and the job that loaded them', async () => {
    const one = 20;
    const oneJob = { limit: 1, after: null, state: null, kind: null, search: '' };
    expect(await rowsRead(({ audiences }) => audiences.find(bravo, audienceOfFiles))).toBeLessThan(
      one,
    );
    expect(
      await rowsRead(({ audienceProblems }) => audienceProblems.list(audienceOfFiles, firstPage)),
    ).toBeLessThan(one);
    expect(await rowsRead(({ recentJobs }) => recentJobs.latest(2, oneJob))).toBeLessThan(one);
    expect(
      await rowsRead(({ audienceFiles }) => audienceFiles.loaded(audienceOfFiles, ['partner-2/7'])),
    ).toBeLessThan(one);
  });

  test('for a page of the files of an audience', async () => {
    const ofPage = 3 * page;
    const { audiences } = fresh.records;
    const details = await audiences.details(bravo, audienceOfFiles, page);
    expect(
      await rowsRead((records) => records.audiences.details(bravo, audienceOfFiles, page)),
    ).toBeLessThan(ofPage);
    const last = details!.files.at(-1);
    expect(
      await rowsRead((records) => records.audiences.filesAfter(audienceOfFiles, last, page).next()),
    ).toBeLessThan(ofPage);
  });

  test('for the progress of an audience, and to clear it', async () => {
    expect(await rowsRead(({ jobProgress }) => jobProgress.ofAudience(1))).toBeLessThan(10);
    expect(await rowsRead(({ audienceLoads }) => audienceLoads.unfinishedJobs(1))).toBeLessThan(10);
  });

  test('to find that no composition is outdated', async () => {
    expect(await rowsRead(({ compositions }) => compositions.outdated(100))).toBeLessThan(10);
    expect(await rowsRead(({ compositions }) => compositions.backlog())).toBeLessThan(10);
  });

  test('for the latest imports among loads of audiences', async () => {
    expect(await rowsRead(({ importLogs }) => importLogs.latest(1, 20))).toBeLessThan(3 * 20);
  });

  test('to count the jobs', async () => {
    expect(await rowsRead(({ jobs }) => jobs.counts())).toBeLessThan(10);
  });
});

test('the count of jobs is that of the rows, whatever happens to jobs and transactions', async () => {
  await using own = await freshRecords();
  const { records, db } = own;
  const partners = [await records.partners.create('acme'), await records.partners.create('bravo')];
  for (const { partnerId } of partners) {
    for (let n = 0; n < 4; n++) {
      await queueImport(records, partnerId, { filePath: 'a', pathType: 0, keyType: 0 });
    }
    const scope = { partnerId, customerId: null };
    for (let n = 0; n < 2; n++) {
      const { audienceId } = await createAudience(records, scope, 'Tea drinkers', 'a');
      await clearAudience(records, scope, audienceId);
    }
  }
  for (const ending of ['done', 'failed', 'rolled back', 'lost', 'done', 'failed'] as const) {
    const claim = (await records.jobs.claim(60))!;
    if (ending === 'lost') {
      await records.jobs.expireLease(claim);
      await records.jobs.reclaimExpired(1);
    } else if (ending === 'rolled back') {
      const crash = records.inTransaction(async (tx) => {
        await tx.jobs.settle(claim, 'done');
        throw new Error('crashed');
      });
      await expect(crash).rejects.toThrow('crashed');
    } else await records.jobs.settle(claim, ending);
  }
  const recounted = await db
    .selectFrom('job')
    .select((eb) => ['state', eb.fn.countAll<number>().as('jobs')])
    .groupBy('state')
    .orderBy('state')
    .execute();
  const counted = await records.jobs.counts();
  expect(counted.sort((a, b) => a.state.localeCompare(b.state))).toEqual(recounted);
  expect(recounted).toEqual([
    { state: 'cancelled', jobs: 4 },
    { state: 'done', jobs: 2 },
    { state: 'failed', jobs: 3 },
    { state: 'pending', jobs: 2 },
    { state: 'running', jobs: 1 },
  ]);
});
