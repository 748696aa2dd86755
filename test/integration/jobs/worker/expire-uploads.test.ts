import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeParty } from '../../../../src/actions/remove-party.ts';
import { limits } from '../../../../src/domain/limits.ts';
import { deleteRemoved } from '../../../../src/jobs/worker/delete-removed.ts';
import { expireUploads } from '../../../../src/jobs/worker/expire-uploads.ts';
import { createS3Store } from '../../../../src/objects/s3/s3-store.ts';
import {
  migrationFiles,
  migrationsFolder,
} from '../../../../src/records/database/schema-version.ts';
import { startS3Endpoint } from '../../../contract/s3-endpoint.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../../support/audiences.ts';
import { deviceRows as rows } from '../../../support/devices.ts';

let world: Audiences;
let acme: LoadingPartner;
beforeEach(async () => {
  world = await freshAudiences();
  acme = await world.partner();
});
afterEach(() => world[Symbol.asyncDispose]());

const { signal: never } = new AbortController();
const log = pino({ level: 'silent' });

function run(days: number | null, instead: Partial<Parameters<typeof expireUploads>[0]> = {}) {
  return expireUploads({ ...world, days, log, ...instead }).run(never);
}

/** Lets days pass for uploads and loads. */
async function pass(days: number): Promise<void> {
  const age = sql`${days} * interval '1 day'`;
  await sql`update object set modified_at = modified_at - ${age}`.execute(world.db);
  await sql`update loaded_file set loaded_at = loaded_at - ${age}`.execute(world.db);
}

async function left(): Promise<string[]> {
  const objects = await world.records.objectIndex.list(acme.prefix, '', 1_000);
  return objects.map(({ key }) => key.slice(acme.prefix.length));
}

describe('uploads', () => {
  test('are deleted some days after they were last loaded', async () => {
    const tea = await acme.attribute();
    await acme.put('day/import.csv', rows(0, 10, tea));
    await acme.put('day/audience.csv', rows(0, 10, 'seen'));
    await acme.put('never.csv', 'anything');
    await acme.put('folder/', '');
    await pass(20);
    await acme.import('day/import.csv');
    await acme.create('day/audience.csv');
    await world.work();
    expect(await run(null)).toEqual({ files: 0, bytes: 0 });
    expect(await run(21)).toEqual({ files: 0, bytes: 0 });
    expect(await run(19)).toEqual({ files: 1, bytes: 8 });
    expect(await left()).toEqual(['day/audience.csv', 'day/import.csv', 'folder/']);

    await pass(10);
    expect(await run(11)).toMatchObject({ files: 0 });
    await acme.import('day/import.csv');
    const audienceId = await acme.create('day/import.csv');
    await world.work();
    expect(await run(9)).toMatchObject({ files: 1 });
    expect(await left()).toEqual(['day/import.csv', 'folder/']);
    await pass(10);
    // The audience has this file already, so it is not loaded again.
    await acme.append(audienceId, 'day/import.csv');
    await world.work();
    expect(await run(9)).toMatchObject({ files: 1 });
    expect(await left()).toEqual(['folder/']);
    const { rows: known } = await sql`select from loaded_file`.execute(world.db);
    expect(known).toEqual([]);
  });

  test('are not loaded by a dry run or by a load that failed', async () => {
    const tea = await acme.attribute();
    await acme.put('good.csv', rows(0, 10, tea));
    await acme.put('bad.csv', `${rows(0, 10, tea)}surplus,${tea},1\n`);
    await pass(20);
    expect((await acme.import('good.csv', { dryRun: true })).state).toBe('done');
    expect((await acme.import('bad.csv')).state).toBe('failed');
    await acme.create('bad.csv');
    await world.work();
    expect(await run(10)).toMatchObject({ files: 2 });
  });

  test('stay while an open job may read them', async () => {
    const other = await world.partner();
    for (const path of ['a/1', 'a/2', 'b/1', 'c/1', 'd']) await acme.put(path, 'anything');
    await other.put('a/1', 'anything');
    await pass(20);
    await acme.queue('/a/');
    await acme.create('b');
    await acme.queue('d', { pathType: 1 });
    expect(await run(10)).toMatchObject({ files: 3 });
    expect(await left()).toEqual(['a/1', 'a/2', 'b/1']);
    // A running job may read as well.
    await world.claim();
    expect(await run(10)).toMatchObject({ files: 0 });
  });

  test('are looked at again while no job can be queued', async () => {
    await acme.put('a', 'anything');
    await pass(20);
    const records = {
      ...world.records,
      loadedFiles: {
        ...world.records.loadedFiles,
        async unused(...given: Parameters<typeof world.records.loadedFiles.unused>) {
          const unused = await world.records.loadedFiles.unused(...given);
          await acme.queue('a');
          return unused;
        },
      },
    };
    expect(await run(10, { records })).toMatchObject({ files: 0 });
    expect(await left()).toEqual(['a']);
  });

  test('are kept for as long as the partner has a number of its own', async () => {
    const [kept, brief] = [await world.partner(), await world.partner()];
    for (const partner of [acme, kept, brief]) await partner.put('x', 'anything');
    const { partners } = world.records;
    await partners.setUploadRetention(kept.partnerId, 0);
    await partners.setUploadRetention(brief.partnerId, 5);
    await pass(7);
    const listed = async (partner: LoadingPartner) =>
      (await world.records.objectIndex.list(partner.prefix, '', 10)).length;
    expect(await run(30)).toMatchObject({ files: 1 });
    expect([await listed(acme), await listed(kept), await listed(brief)]).toEqual([1, 1, 0]);
    await pass(100);
    expect(await run(30)).toMatchObject({ files: 1 });
    expect([await listed(acme), await listed(kept)]).toEqual([0, 1]);
  });

  test('of many pages are deleted without their blobs staying behind', async () => {
    for (const path of ['1', '2', '3']) await acme.put(path, path);
    await pass(20);
    await sql`
      insert into object (key, etag, size, content_type, metadata, modified_at)
      select ${acme.prefix} || 'many/' || n, md5(''), 1, 'text/plain', '{}', now() - interval '20 days'
      from generate_series(1, 1100) as n
    `.execute(world.db);
    expect(await run(10)).toEqual({ files: 1_103, bytes: 1_103 });
    expect(await left()).toEqual([]);
    expect(await world.records.objectIndex.totals()).toMatchObject({ objects: 0 });
    expect((await world.records.storageUses.of(acme.partnerId)).bytes).toBe(0);
  });

  test('in a bucket of another store are deleted likewise', async () => {
    await using setup = new AsyncDisposableStack();
    const { disk, options } = await startS3Endpoint(setup, 'when_required');
    const objects = setup.use(createS3Store(options));
    async function* content() {
      yield Buffer.from('anything');
    }
    for (const path of ['loaded', 'waiting', 'old']) {
      await objects.put(acme.prefix + path, content());
    }
    await sql`update object set modified_at = now() - interval '20 days'`.execute(disk.database.db);
    await objects.put(`${acme.prefix}new`, content());
    await sql`
      insert into loaded_file values (${`${acme.prefix}loaded`}, now() - interval '1 day')
    `.execute(world.db);
    await acme.queue('waiting');
    expect(await run(10, { objects })).toEqual({ files: 1, bytes: 8 });
    const keys = (await disk.objects.list(acme.prefix, '', 10)).map(({ key }) => key);
    expect(keys).toEqual(['loaded', 'new', 'waiting'].map((path) => acme.prefix + path));
  });
});

describe('when a file was loaded', () => {
  test('is forgotten with its partner, and when it is longer ago than any retention', async () => {
    const tea = await acme.attribute();
    await acme.put('x', rows(0, 10, tea));
    await acme.import('x');
    const known = async () => (await sql`select from loaded_file`.execute(world.db)).rows.length;
    await pass(limits.uploadRetention.most + 1);
    expect(await known()).toBe(1);
    await run(null);
    expect(await known()).toBe(0);

    await acme.import('x');
    await removeParty(world.records, { kind: 'partner', id: acme.partnerId });
    await deleteRemoved(world).run(never);
    expect(await known()).toBe(0);
  });

  test('is taken by the migration from what is known about loads', async () => {
    const tea = await acme.attribute();
    for (const path of ['import', 'dry']) await acme.put(path, rows(0, 10, tea));
    await acme.put('audience', rows(0, 10, 'seen'));
    await acme.import('import');
    await acme.import('dry', { dryRun: true });
    await acme.create('audience');
    await world.work();
    await sql`truncate loaded_file`.execute(world.db);
    const name = migrationFiles.find((file) => file.endsWith('upload-retention.sql'))!;
    const migration = await readFile(new URL(name, migrationsFolder), 'utf8');
    await sql.raw(migration.slice(migration.indexOf('insert into loaded_file'))).execute(world.db);
    const { rows: known } = await sql`select key from loaded_file order by key`.execute(world.db);
    expect(known).toEqual(['audience', 'import'].map((path) => ({ key: acme.prefix + path })));
  });
});
