import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createArchiveStore } from '../../../src/drop/archive-store.ts';
import { syncDrop } from '../../../src/drop/sync.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { item, maid } from '../../support/drop/drop-world.ts';
import {
  createSuppressionModel,
  type SuppressionModel,
} from '../../support/drop/suppression-model.ts';
import { zip } from '../../support/drop/zip-writer.ts';

const path = '/admin/v1/privacy';
let app: TestApp;
let model: SuppressionModel;

beforeAll(async () => {
  app = await startTestApp();
  model = createSuppressionModel();
});
afterAll(() => app[Symbol.asyncDispose]());

const call = (method: string, rest: string, options = {}) =>
  app.call(method, path + rest, { token: app.adminToken, ...options });

/** What a worker without a key does. */
async function work(): Promise<void> {
  const store = createArchiveStore(app.objects);
  const { records } = app;
  const deps = { records, store, suppressions: model, client: null, days: 7, mostBytes: 1e6 };
  for (let run = 0; run < 3; run += 1) await syncDrop(deps, new AbortController().signal);
}

function archiveOf(day: number, ...numbers: number[]): Buffer {
  const rows = numbers.map((n) => `${item(n).id},${item(n).hash}\n`);
  return zip([
    { name: `${day}_4821_MAID.csv`, content: `ID,Hash\n${rows.join('')}` },
    { name: `${day}_4821_Email.csv`, content: 'ID,Hash\n' },
  ]);
}

const add = (name: string, body: Buffer) =>
  call('PUT', `/archives/${name}`, {
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/zip' },
  });

describe('an archive from the portal', () => {
  test('is processed, and its evidence and files can be fetched', async () => {
    model.load(maid(1));
    const archive = archiveOf(20260312, 1, 2);
    const added = await add('20260312_4821_DROP.zip', archive);
    expect(added.status).toBe(202);
    const sha256 = createHash('sha256').update(archive).digest('hex');
    expect(added.body).toMatchObject({
      kind: 'manual',
      state: 'downloaded',
      archive_name: '20260312_4821_DROP.zip',
      archive_bytes: archive.length,
      archive_sha256: sha256,
    });
    const id = added.body.cycle_id;
    expect((await call('POST', `/cycles/${id}/close`)).status).toBe(400);
    await work();

    const evidence = (await call('GET', `/cycles/${id}`)).body;
    expect(evidence).toMatchObject({
      state: 'lifted',
      items: 2,
      deleted: 1,
      not_found: 1,
      lists: [
        { file: '20260312_4821_MAID.csv', list: 'MAID', is_refused: false, rows: 2 },
        { file: '20260312_4821_Email.csv', list: 'Email', is_refused: true, rows: 0 },
      ],
      files: [{ name: '20260312_4821_MAID.csv', state: 'ready', deleted: 1, not_found: 1 }],
    });
    const file = await call('GET', `/cycles/${id}/files/20260312_4821_MAID.csv`);
    expect(file.headers.get('content-type')).toContain('text/csv');
    expect(file.text).toBe(`Id,Status\n${item(1).id},3\n${item(2).id},5\n`);
    expect(createHash('sha256').update(file.text).digest('hex')).toBe(evidence.files[0].sha256);
    const again = await fetch(`${app.url}${path}/cycles/${id}/files/20260312_4821_DROP.zip`, {
      headers: { authorization: `Bearer ${app.adminToken}` },
    });
    expect(Buffer.from(await again.arrayBuffer()).equals(archive)).toBe(true);
    expect((await call('GET', `/cycles/${id}/files/other.csv`)).status).toBe(404);

    const closed = await call('POST', `/cycles/${id}/close`);
    expect(closed.body).toMatchObject({ state: 'accepted', files: [{ state: 'accepted' }] });
    expect((await call('GET', '/cycles')).body).toMatchObject([{ cycle_id: id }]);
  });

  test('makes one cycle, also if it comes twice', async () => {
    const archive = archiveOf(20260401, 5);
    const first = await add('20260401_4821_DROP.zip', archive);
    const objects = (await app.objects.list('drop/', '', 100)).length;
    const second = await add('20260401_4821_DROP%20(1).zip', archive);
    expect(second.body.cycle_id).toBe(first.body.cycle_id);
    expect(await app.objects.list('drop/', '', 100)).toHaveLength(objects);
    await work();
    await call('POST', `/cycles/${first.body.cycle_id}/close`);
  });

  test('brings amendments of earlier ones', async () => {
    model.restore(maid(2));
    const added = await add('20260501_4821_DROP.zip', archiveOf(20260501, 6));
    await work();
    const { open_amendments } = (await call('GET', '/drop')).body;
    expect(open_amendments).toEqual([
      { cycle_id: expect.any(Number), name: '20260312_4821_MAID_a1x1.csv' },
    ]);
    const [{ cycle_id, name }] = open_amendments;
    const file = await call('GET', `/cycles/${cycle_id}/files/${name}`);
    expect(file.text).toBe(`Id,Status\n${item(2).id},3\n`);
    await call('POST', `/cycles/${cycle_id}/close`);
    await call('POST', `/cycles/${added.body.cycle_id}/close`);
    expect((await call('GET', '/drop')).body).toMatchObject({
      open_amendments: [],
      open_cycles: [],
    });
  });

  test('that cannot be used is refused, and stays until the operator closes it', async () => {
    const added = await add('x.zip', Buffer.from('not a ZIP'));
    await work();
    const { open_cycles } = (await call('GET', '/drop')).body;
    expect(open_cycles).toMatchObject([
      { state: 'refused', problem: 'The archive is cut off, or is not a ZIP file' },
    ]);
    await call('POST', `/cycles/${added.body.cycle_id}/close`);
    expect((await call('GET', '/drop')).body.open_cycles).toEqual([]);
  });

  test('needs a valid name and the admin token', async () => {
    expect((await add('..%2Fx.zip', Buffer.from('x'))).status).toBe(400);
    for (const rest of ['/drop', '/cycles', '/cycles/1', '/cycles/1/files/x']) {
      expect((await app.call('GET', path + rest)).status).toBe(401);
    }
    expect((await call('GET', '/cycles/99')).status).toBe(404);
  });
});

describe('the status of DROP', () => {
  test('shows a session that was asked for', async () => {
    const asked = await call('POST', '/drop/sync');
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({ is_requested: true, problem: null });
    expect(asked.body.accessed_at).not.toBeNull();
  });

  test('is in the metrics', async () => {
    const { db } = app.database;
    await sql`update drop_schedule set accessed_at = now() - interval '40 days'`.execute(db);
    await app.records.dropSchedule.recordFailure('DROP is down', 60);
    const text = await app.metrics();
    const [, slack] = /^tributary_drop_slack_seconds (.+)$/m.exec(text) ?? [];
    expect(Number(slack) / 86_400).toBeCloseTo(5, 1);
    expect(text).toContain('tributary_drop_failed 1');
    expect(text).toContain(`tributary_drop_limit_seconds ${45 * 86_400}`);
    await app.records.dropSchedule.endSession(1);
    expect(await app.metrics()).toContain('tributary_drop_failed 0');
  });
});
