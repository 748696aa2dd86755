import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
beforeAll(async () => {
  fresh = await freshRecords();
});
afterAll(() => fresh[Symbol.asyncDispose]());

/** Creates two of a kind for a partner; `use` uses the first one, `list` lists both. */
async function twoOf(kind: 'api_key' | 'user_token' | 'storage_credential', partnerId: number) {
  const { apiKeys, userTokens, customers, storageCredentials } = fresh.records;
  switch (kind) {
    case 'api_key': {
      const { apiKey } = await apiKeys.create(partnerId, '');
      await apiKeys.create(partnerId, '');
      return { use: () => apiKeys.authenticate(apiKey), list: () => apiKeys.list(partnerId) };
    }
    case 'user_token': {
      const { customerId } = await customers.create('harbor');
      const { userToken } = await userTokens.create(partnerId, customerId, null);
      await userTokens.create(partnerId, customerId, null);
      return {
        use: () => userTokens.authenticate(partnerId, userToken),
        list: () => userTokens.list(partnerId),
      };
    }
    case 'storage_credential': {
      const { accessKeyId } = await storageCredentials.create(partnerId);
      await storageCredentials.create(partnerId);
      return {
        use: () => storageCredentials.find(accessKeyId),
        list: () => storageCredentials.list(partnerId),
      };
    }
  }
}

test.each(['api_key', 'user_token', 'storage_credential'] as const)(
  'the use of one %s is recorded to the minute, for that one alone',
  async (kind) => {
    const { partnerId } = await fresh.records.partners.create('acme');
    const { use, list } = await twoOf(kind, partnerId);
    const usedAt = async () => (await list()).map(({ lastUsedAt }) => lastUsedAt);
    expect(await usedAt()).toEqual([null, null]);

    const longAgo = new Date(Date.now() - 120_000);
    await sql`update ${sql.table(kind)} set last_used_at = ${longAgo}`.execute(fresh.db);
    expect(await use()).toBeDefined();
    const [used, other] = await usedAt();
    expect(Date.now() - Number(used)).toBeLessThan(60_000);
    expect(other).toEqual(longAgo);

    await use();
    expect((await usedAt())[0]).toEqual(used);

    // The clock was set back after the last use.
    await sql`update ${sql.table(kind)} set last_used_at = now() + interval '1 hour'`.execute(
      fresh.db,
    );
    await use();
    expect(Number((await usedAt())[0])).toBeLessThanOrEqual(Date.now());
  },
);
