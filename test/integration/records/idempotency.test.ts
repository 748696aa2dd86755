import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueImport } from '../../../src/actions/queue-import.ts';
import { pruneExpired } from '../../../src/jobs/worker/prune-expired.ts';
import type { Records } from '../../../src/records/records.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let records: Records;
let acme: number;

beforeEach(async () => {
  fresh = await freshRecords();
  ({ records } = fresh);
  ({ partnerId: acme } = await records.partners.create('acme'));
});
afterEach(() => fresh[Symbol.asyncDispose]());

const route = 'POST /v1/marketplace/import';
const answer = { status: 202, location: '/v1/x/7', body: { z: 1, a: [null, 'é'], 1: {} } };

function begin(key = 'k', { partnerId = acme, on = route, hash = 'aa' } = {}) {
  return records.inTransaction((tx) => tx.idempotency.begin(partnerId, on, key, hash));
}

function save(key = 'k', saved: Parameters<Records['idempotency']['save']>[4] = answer) {
  return records.inTransaction(async (tx) => {
    expect(await tx.idempotency.begin(acme, route, key, 'aa')).toBe('new');
    await tx.idempotency.save(acme, route, key, 'aa', saved);
  });
}

describe('an idempotency key', () => {
  it('is new until the answer to its first request is saved, and then returns that answer', async () => {
    expect(await begin()).toBe('new');
    expect(await begin()).toBe('new');
    await save();
    const again = await begin();
    expect(again).toEqual(answer);
    expect(JSON.stringify(again)).toBe(JSON.stringify(answer));
  });

  it('stores an answer without body and location', async () => {
    await save('k', { status: 204, location: null, body: undefined });
    expect(await begin()).toEqual({ status: 204, location: null, body: null });
  });

  it('belongs to one partner, one route and one body', async () => {
    const { partnerId } = await records.partners.create('bravo');
    await save();
    expect(await begin('k', { hash: 'ab' })).toBe('other_body');
    expect(await begin('K')).toBe('new');
    expect(await begin('k', { on: 'DELETE /v1/marketplace/import' })).toBe('new');
    expect(await begin('k', { partnerId })).toBe('new');
  });

  it('is under way while its first request runs; other keys are not affected', async () => {
    await records.inTransaction(async (tx) => {
      expect(await tx.idempotency.begin(acme, route, 'k', 'aa')).toBe('new');
      expect(await begin('k')).toBe('under_way');
      expect(await begin('k', { hash: 'ab' })).toBe('under_way');
      expect(await begin('other')).toBe('new');
      await tx.idempotency.save(acme, route, 'k', 'aa', answer);
      expect(await begin('k')).toBe('under_way');
    });
    expect(await begin('k')).toEqual(answer);
  });

  it('is new again, without any effect, after its request was rolled back', async () => {
    const refused = records.inTransaction(async (tx) => {
      await tx.idempotency.begin(acme, route, 'k', 'aa');
      await queueImport(tx, acme, { filePath: 'a', keyType: 0, pathType: 0 });
      await tx.idempotency.save(acme, route, 'k', 'aa', answer);
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect(await begin('k', { hash: 'ab' })).toBe('new');
    expect(await records.importLogs.latest(acme, 100)).toEqual([]);
  });

  it('takes effect once, however many concurrent requests use it', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        records.inTransaction(async (tx) => {
          const outcome = await tx.idempotency.begin(acme, route, 'k', 'aa');
          if (outcome !== 'new') return outcome;
          await queueImport(tx, acme, { filePath: 'a', keyType: 0, pathType: 0 });
          await tx.idempotency.save(acme, route, 'k', 'aa', answer);
          return 'new';
        }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'new')).toHaveLength(1);
    expect(await records.importLogs.latest(acme, 100)).toHaveLength(1);
  });

  it('is deleted after 24 hours', async () => {
    await save('old');
    await save('young');
    await sql`
      update idempotency_key set created_at = now()
        - case key when 'old' then interval '24 hours 1 minute' else interval '23 hours 59 minutes' end
    `.execute(fresh.db);
    const { signal } = new AbortController();
    expect(await pruneExpired(records).run(signal)).toMatchObject({
      rejects: 0,
      idempotencyKeys: 1,
    });
    expect(await begin('old', { hash: 'ab' })).toBe('new');
    expect(await begin('young')).toEqual(answer);
  });
});
