import { expect, test } from 'vitest';
import { readTaxonomy } from './taxonomy.ts';

test('other requests are served while a large taxonomy is read', async () => {
  const lines = Array.from({ length: 2_000 }, (_, i) => `Attribute ${i},,key-${i}\n`);
  // So that a turn has at most 50 of them, however fast the machine is.
  const validate = () => {
    const begun = performance.now();
    while (performance.now() - begun < 0.02);
    return [];
  };
  let turns = 0;
  let isRead = false;
  const count = () => {
    if (isRead) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const entries = await readTaxonomy(`name,description,partnerkey\n${lines.join('')}`, validate);
  isRead = true;
  expect(entries).toHaveLength(2_000);
  expect(entries.at(-1)).toEqual({
    line: 2_001,
    name: 'Attribute 1999',
    description: '',
    partnerForeignKey: 'key-1999',
  });
  expect(turns).toBeGreaterThanOrEqual(30);
});
