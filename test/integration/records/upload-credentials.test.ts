import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pruneExpired } from '../../../src/jobs/worker/prune-expired.ts';
import type { Records } from '../../../src/records/records.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

const linkSeconds = 900;

let database: FreshRecords;
let records: Records;
beforeAll(async () => {
  database = await freshRecords();
  records = database.records;
});
afterAll(() => database[Symbol.asyncDispose]());

async function partner() {
  return records.partners.create('acme');
}

const forLinks = (partnerId: number) => records.storageCredentials.forLinks(partnerId, linkSeconds);

async function expireIn(accessKeyId: string, seconds: number): Promise<void> {
  await database.db
    .updateTable('storage_credential')
    .set({ expires_at: new Date(Date.now() + seconds * 1000) })
    .where('access_key_id', '=', accessKeyId)
    .execute();
}

describe("the service's own keys for upload links", () => {
  test("give access to the partner's prefix, with their secret", async () => {
    const { partnerId, prefix } = await partner();
    const { accessKeyId, secretAccessKey } = await forLinks(partnerId);
    expect(accessKeyId).toMatch(/^TRIB[A-Z2-9]{16}$/);
    const found = await records.storageCredentials.find(accessKeyId);
    expect(found).toEqual({ prefix, secretAccessKey });
  });

  test('are reused while they are valid for long enough', async () => {
    const { partnerId } = await partner();
    const first = await forLinks(partnerId);
    expect(await forLinks(partnerId)).toEqual(first);
    await expireIn(first.accessKeyId, linkSeconds + 90);
    expect(await forLinks(partnerId)).toEqual(first);
    await expireIn(first.accessKeyId, linkSeconds + 30);
    const second = await forLinks(partnerId);
    expect(second.accessKeyId).not.toBe(first.accessKeyId);
    expect(await forLinks(partnerId)).toEqual(second);
    expect(await records.storageCredentials.find(first.accessKeyId)).toBeDefined();
  });

  test('are one pair, however many concurrent calls need them', async () => {
    const { partnerId } = await partner();
    const pairs = await Promise.all(Array.from({ length: 20 }, () => forLinks(partnerId)));
    expect(new Set(pairs.map(({ accessKeyId }) => accessKeyId)).size).toBe(1);
  });

  test('differ for each partner, and from issued credentials', async () => {
    const [one, other] = [await partner(), await partner()];
    const issued = await records.storageCredentials.create(one.partnerId);
    const keys = [await forLinks(one.partnerId), await forLinks(other.partnerId), issued];
    expect(new Set(keys.map(({ accessKeyId }) => accessKeyId)).size).toBe(3);
  });

  test('are stored with an encrypted secret', async () => {
    const { partnerId } = await partner();
    const { secretAccessKey } = await forLinks(partnerId);
    const rows = await database.db.selectFrom('storage_credential').selectAll().execute();
    const stored = rows.map((row) => row.sealed_secret.toString('latin1')).join();
    expect(stored).not.toContain(secretAccessKey);
  });

  test('are neither listed nor revoked with issued credentials', async () => {
    const { partnerId } = await partner();
    const issued = await records.storageCredentials.create(partnerId);
    const { accessKeyId } = await forLinks(partnerId);
    const listed = await records.storageCredentials.list(partnerId);
    expect(listed.map((each) => each.accessKeyId)).toEqual([issued.accessKeyId]);
    expect(await records.storageCredentials.revoke(partnerId, accessKeyId)).toBe(false);
    expect(await records.storageCredentials.find(accessKeyId)).toBeDefined();
  });

  test('are unknown once they expire, and only they are then deleted', async () => {
    const { partnerId } = await partner();
    const issued = await records.storageCredentials.create(partnerId);
    const expired = await forLinks(partnerId);
    await expireIn(expired.accessKeyId, -1);
    expect(await records.storageCredentials.find(expired.accessKeyId)).toBeUndefined();
    const current = await forLinks(partnerId);

    const outcome = await pruneExpired(records).run(new AbortController().signal);
    expect(outcome).toMatchObject({ uploadCredentials: 1 });
    const rows = await database.db
      .selectFrom('storage_credential')
      .select('access_key_id')
      .where('partner_id', '=', partnerId)
      .execute();
    expect(rows.map((row) => row.access_key_id).sort()).toEqual(
      [issued.accessKeyId, current.accessKeyId].sort(),
    );
  });
});
