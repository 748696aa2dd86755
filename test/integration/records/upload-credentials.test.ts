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
  const made = await records.partners.create('acme');
  const { apiKeyId } = await records.apiKeys.create(made.partnerId, '');
  return { ...made, owner: { partnerId: made.partnerId, apiKeyId } };
}

type Owner = Awaited<ReturnType<typeof partner>>['owner'];
const forLinks = (owner: Owner) => records.storageCredentials.forLinks(owner, linkSeconds);

async function expireIn(accessKeyId: string, seconds: number): Promise<void> {
  await database.db
    .updateTable('storage_credential')
    .set({ expires_at: new Date(Date.now() + seconds * 1000) })
    .where('access_key_id', '=', accessKeyId)
    .execute();
}

describe("the service's own keys for upload links", () => {
  test("give access to the partner's prefix, with their secret", async () => {
    const { prefix, owner } = await partner();
    const { accessKeyId, secretAccessKey } = await forLinks(owner);
    expect(accessKeyId).toMatch(/^TRIB[A-Z2-9]{16}$/);
    const found = await records.storageCredentials.find(accessKeyId);
    expect(found).toEqual({ ...owner, prefix, secretAccessKey, isDisabled: false });
  });

  test('are reused while they are valid for long enough', async () => {
    const { owner } = await partner();
    const first = await forLinks(owner);
    expect(await forLinks(owner)).toEqual(first);
    await expireIn(first.accessKeyId, linkSeconds + 90);
    expect(await forLinks(owner)).toEqual(first);
    await expireIn(first.accessKeyId, linkSeconds + 30);
    const second = await forLinks(owner);
    expect(second.accessKeyId).not.toBe(first.accessKeyId);
    expect(await forLinks(owner)).toEqual(second);
    expect(await records.storageCredentials.find(first.accessKeyId)).toBeDefined();
  });

  test('are one pair, however many concurrent calls need them', async () => {
    const { owner } = await partner();
    const pairs = await Promise.all(Array.from({ length: 20 }, () => forLinks(owner)));
    expect(new Set(pairs.map(({ accessKeyId }) => accessKeyId)).size).toBe(1);
  });

  test('differ for each partner, and from issued credentials', async () => {
    const [one, other] = [await partner(), await partner()];
    const issued = await records.storageCredentials.create(one.partnerId);
    const keys = [await forLinks(one.owner), await forLinks(other.owner), issued];
    expect(new Set(keys.map(({ accessKeyId }) => accessKeyId)).size).toBe(3);
  });

  test('are unknown once the API key of their links is revoked, and only they are', async () => {
    const { partnerId, owner } = await partner();
    const other = await records.apiKeys.create(partnerId, '');
    const issued = await records.storageCredentials.create(partnerId);
    const revoked = await forLinks(owner);
    const kept = await forLinks({ partnerId, apiKeyId: other.apiKeyId });
    await records.apiKeys.revoke(partnerId, owner.apiKeyId);
    const found = await Promise.all(
      [revoked, kept, issued].map(({ accessKeyId }) =>
        records.storageCredentials.find(accessKeyId),
      ),
    );
    expect(found.map((each) => each !== undefined)).toEqual([false, true, true]);
  });

  test('are stored with an encrypted secret', async () => {
    const { owner } = await partner();
    const { secretAccessKey } = await forLinks(owner);
    const rows = await database.db.selectFrom('storage_credential').selectAll().execute();
    const stored = rows.map((row) => row.sealed_secret.toString('latin1')).join();
    expect(stored).not.toContain(secretAccessKey);
  });

  test('are neither listed nor revoked with issued credentials', async () => {
    const { partnerId, owner } = await partner();
    const issued = await records.storageCredentials.create(partnerId);
    const { accessKeyId } = await forLinks(owner);
    const listed = await records.storageCredentials.list(partnerId);
    expect(listed.map((each) => each.accessKeyId)).toEqual([issued.accessKeyId]);
    expect(await records.storageCredentials.revoke(partnerId, accessKeyId)).toBe(false);
    expect(await records.storageCredentials.find(accessKeyId)).toBeDefined();
  });

  test('are unknown once they expire, and only they are then deleted', async () => {
    const { partnerId, owner } = await partner();
    const issued = await records.storageCredentials.create(partnerId);
    const expired = await forLinks(owner);
    await expireIn(expired.accessKeyId, -1);
    expect(await records.storageCredentials.find(expired.accessKeyId)).toBeUndefined();
    const current = await forLinks(owner);

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
