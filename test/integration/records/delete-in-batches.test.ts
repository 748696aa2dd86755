import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { clearAudience } from '../../../src/actions/clear-audience.ts';
import { createAudience } from '../../../src/actions/create-audience.ts';
import { queueImport } from '../../../src/actions/queue-import.ts';
import { pruneExpired } from '../../../src/jobs/worker/prune-expired.ts';
import { freshRecords } from '../../support/database.ts';

it('no statement deletes more than 10,000 rows, however many there are', async () => {
  await using fresh = await freshRecords();
  const { db, records } = fresh;
  const { partnerId } = await records.partners.create('acme');
  const scope = { partnerId, customerId: null };
  const { audienceId } = await createAudience(records, scope, 'tea', 'partner-1/tea/');
  const audienceClaim = (await records.jobs.claim(60))!;
  await records.jobs.settle(audienceClaim, 'done');
  await queueImport(records, partnerId, { filePath: 'p/', keyType: 0, pathType: 0 });
  const claim = (await records.jobs.claim(60))!;
  const position = sql`generate_series(1, 12000) as position`;
  const rows = {
    import_file: sql`(job_id, attempt, position, s3_path)
      select ${claim.jobId}::bigint, 0, position, 'p/' from ${position}`,
    import_reject: sql`(job_id, attempt, position, line, code, original)
      select ${claim.jobId}::bigint, 0, position, 1, 'no_keys', '' from ${position}`,
    audience_file: sql`(audience_id, s3_path, job_id, attempt, position, state)
      select ${audienceId}::bigint, 'p/' || position, ${audienceClaim.jobId}::bigint, 1, position, 'done'
      from ${position}`,
    idempotency_key: sql`(partner_id, route, key, body_hash, status, body, created_at)
      select ${partnerId}::bigint, 'POST', position, '', 202, 'null', now() - interval '2 days'
      from ${position}`,
    sign_in_attempt: sql`(subject, tried_at)
      select '', now() - interval '2 days' from ${position}`,
  };
  await sql`
    create table deletion (table_name text not null, deleted bigint not null);
    create function note_deletion() returns trigger language plpgsql as $$ begin
      insert into deletion select tg_table_name, count(*) from gone;
      return null;
    end $$
  `.execute(db);
  for (const [table, columns] of Object.entries(rows)) {
    await sql`insert into ${sql.table(table)} ${columns}`.execute(db);
    await sql`
      create trigger note_deletion after delete on ${sql.table(table)}
      referencing old table as gone for each statement execute function note_deletion()
    `.execute(db);
  }

  await records.importFiles.begin(claim, ['p/1']);
  await clearAudience(records, scope, audienceId);
  await pruneExpired(records).run(new AbortController().signal);

  const { rows: deletions } = await sql`
    select table_name as table, sum(deleted)::integer as rows, max(deleted)::integer as most
    from deletion group by table_name order by table_name
  `.execute(db);
  expect(deletions).toEqual(
    Object.keys(rows)
      .sort()
      .map((table) => ({ table, rows: 12_000, most: 10_000 })),
  );
  expect(await records.importFiles.list(claim.jobId)).toMatchObject([{ s3Path: 'p/1' }]);
});
