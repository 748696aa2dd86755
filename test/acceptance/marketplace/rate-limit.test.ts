import { expect, test } from 'vitest';
import { startMarketplace } from './marketplace.ts';

test('an API key over its limit gets 429 with Retry-After; another key is not affected', async () => {
  await using marketplace = await startMarketplace({ TRIBUTARY_RATE_LIMIT: '5' });
  const path = '/v1/marketplace/import';
  const busy = await marketplace.partner();
  const other = await marketplace.partner();
  const statuses: number[] = [];
  for (let i = 0; i < 7; i++) statuses.push((await busy.call('GET', path)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);

  const refused = await busy.call('POST', path, { json: { file_path: 'a', key_type: 1 } });
  expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  const [log] = (await other.call('GET', path)).body;
  expect(log).toBeUndefined();
});
