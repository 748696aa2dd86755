import { expect, test } from 'vitest';
import { readTaxonomy } from './taxonomy.ts';

test('other requests are served while a large taxonomy is read', async () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => `Attribute ${i},,key-${i}\n`);
  let turns = 0;
  let isRead = false;
  const count = () => {
    if (isRead) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const entries = await readTaxonomy(`name,description,partnerkey\n${lines.join('')}`, () => []);
  isRead = true;
  expect(entries).toHaveLength(10_000);
  expect(entries.at(-1)).toEqual({
    line: 10_001,
    name: 'Attribute 9999',
    description: '',
    partnerForeignKey: 'key-9999',
  });
  expect(turns).toBeGreaterThanOrEqual(10);
});
