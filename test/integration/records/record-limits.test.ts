import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudience } from '../../../src/actions/create-audience.ts';
import { limits } from '../../../src/domain/limits.ts';
import type { Records } from '../../../src/records/records.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let records: Records;
let partnerId: number;
let customerId: number;
beforeAll(async () => {
  fresh = await freshRecords();
  ({ records } = fresh);
  ({ partnerId } = await records.partners.create('acme'));
  ({ customerId } = await records.customers.create('Harbor Coffee'));
});
afterAll(() => fresh[Symbol.asyncDispose]());

/** Runs creations at the same time, and returns how many succeeded and why the others did not. */
async function race(create: () => Promise<unknown>, times = 5) {
  const results = await Promise.allSettled(Array.from({ length: times }, create));
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  return { created: times - errors.length, errors };
}

const reached = (limit: string) =>
  expect.objectContaining({
    code: 'limit_reached',
    message: expect.stringContaining(`The limit of ${limit} is reached.`),
  });

const tea = { name: 'Tea', description: '', partnerForeignKey: null };

test('concurrent creations of attributes cannot exceed the limit together', async () => {
  const { created, errors } = await race(() => records.attributes.create(partnerId, tea, 2));
  expect(created).toBe(2);
  expect(errors).toEqual(Array(3).fill(reached('2 attributes')));
  await expect(records.attributes.createAll(partnerId, [tea, tea], 3)).rejects.toEqual(
    reached('3 attributes'),
  );
  expect(await records.attributes.createAll(partnerId, [tea, tea], 4)).toHaveLength(2);
});

test('the limit of attributes is that of a partner, and a deleted attribute does not count', async () => {
  const other = await records.partners.create('bravo');
  await records.attributes.create(other.partnerId, { ...tea, partnerForeignKey: 'tea' }, 1);
  const found = await records.attributes.findByKeys(other.partnerId, 1, ['tea']);
  await records.attributes.remove(found);
  await records.attributes.create(other.partnerId, tea, 1);
});

test('concurrent creations of audiences cannot exceed the limit together', async () => {
  const scope = { partnerId, customerId: null };
  const create = () => createAudience(records, scope, 'Tea', 'partner-1/tea', 2);
  const { created, errors } = await race(create);
  expect(created).toBe(2);
  expect(errors).toEqual(Array(3).fill(reached('2 audiences')));
  expect(await records.audiences.list(scope, { after: null, limit: 10 })).toHaveLength(2);
});

/** Fills a table up to one record below the limit of its owner. */
async function fill(most: number, insert: (count: number) => ReturnType<typeof sql>) {
  await insert(most - 1).execute(fresh.db);
}

test('API keys', async () => {
  await fill(
    limits.apiKeysPerPartner.most,
    (count) => sql`insert into api_key (partner_id, label, lookup, secret_hash)
      select ${partnerId}::bigint, '', n::text, '' from generate_series(1, ${count}::integer) as n`,
  );
  const { created, errors } = await race(() => records.apiKeys.create(partnerId, ''));
  expect([created, errors[0]]).toEqual([1, reached('1,000 API keys')]);
  const [{ apiKeyId } = expect.unreachable()] = await records.apiKeys.list(partnerId);
  await records.apiKeys.revoke(partnerId, apiKeyId);
  await records.apiKeys.create(partnerId, 'in place of the revoked one');
});

test('storage credentials', async () => {
  await fill(
    limits.storageCredentialsPerPartner.most,
    (count) => sql`insert into storage_credential (access_key_id, partner_id, sealed_secret)
      select n::text, ${partnerId}::bigint, '' from generate_series(1, ${count}::integer) as n`,
  );
  const { created, errors } = await race(() => records.storageCredentials.create(partnerId));
  expect([created, errors[0]]).toEqual([1, reached('1,000 storage credentials')]);
  // The service's own credentials are not the partner's.
  const [{ apiKeyId } = expect.unreachable()] = await records.apiKeys.list(partnerId);
  await records.storageCredentials.forLinks({ partnerId, apiKeyId }, 60);
});

test('OAuth apps', async () => {
  const app = { name: 'Loader', kind: 'public', redirectUris: [] } as const;
  const { created, errors } = await race(
    () => records.oauthApps.create(partnerId, app),
    limits.oauthAppsPerPartner.most + 2,
  );
  expect([created, errors[0]]).toEqual([100, reached('100 OAuth apps')]);
});

test('users', async () => {
  await fill(
    limits.usersPerCustomer.most,
    (count) => sql`insert into customer_user (customer_id, email, email_key, password_hash)
      select ${customerId}::bigint, n::text, n::text, '' from generate_series(1, ${count}::integer) as n`,
  );
  let number = 0;
  const create = () => records.users.create(customerId, `${++number}@harbor.example`, 'a password');
  const { created, errors } = await race(create, 2);
  expect([created, errors[0]]).toEqual([1, reached('10,000 users')]);
});

test('user tokens that are revoked or expired do not count', async () => {
  await fill(
    limits.userTokensPerPartner.most + 2,
    (count) => sql`insert into user_token
        (partner_id, customer_id, lookup, secret_hash, revoked_at, expires_at)
      select ${partnerId}::bigint, ${customerId}::bigint, n::text, '', case when n = 1 then now() end,
        case when n = 2 then now() end
      from generate_series(1, ${count}::integer) as n`,
  );
  const create = () => records.userTokens.create(partnerId, customerId, null);
  const { created, errors } = await race(create);
  expect([created, errors[0]]).toEqual([1, reached('10,000 user tokens')]);
});
