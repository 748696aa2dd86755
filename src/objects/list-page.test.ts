import { expect, test } from 'vitest';
import { keyOf, listPage } from './list-page.ts';

/** Lists keys, which must be sorted, and counts what it fetches. */
function listing(keys: readonly string[]) {
  const cost = { fetches: 0, rows: 0 };
  const page = (after: string, limit: number) =>
    listPage({ prefix: '', delimiter: '/', after, limit }, async (position, count) => {
      const from = keys.findIndex((key) => key > keyOf(position));
      const found = from < 0 ? [] : keys.slice(from, from + count);
      cost.fetches++;
      cost.rows += found.length;
      return found.map((key) => ({ key }));
    });
  return { page, cost };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => String(n).padStart(4, '0'));

test('a page of large folders takes a limited number of fetches and rows', async () => {
  const folders = numbered(250).map((name) => `${name}/`);
  const { page, cost } = listing(
    folders.flatMap((folder) => numbered(50).map((name) => folder + name)),
  );
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    Object.assign(cost, { fetches: 0, rows: 0 });
    const { commonPrefixes, next } = await page(after, 1_000);
    found.push(...commonPrefixes);
    expect(cost.fetches).toBeLessThanOrEqual(200);
    expect(cost.rows).toBeLessThan(5_000);
    after = next === undefined ? undefined : keyOf(next);
  }
  expect(found).toEqual(folders);
});

test('a page of objects without folders takes one fetch', async () => {
  const { page, cost } = listing(numbered(1_500));
  const { items, next } = await page('', 1_000);
  expect(items).toHaveLength(1_000);
  expect(keyOf(next!)).toBe('0999');
  expect(cost).toEqual({ fetches: 1, rows: 1_001 });
});

test('objects after a folder take few fetches', async () => {
  const { page, cost } = listing(['0/a', ...numbered(900)]);
  expect((await page('', 1_000)).items).toHaveLength(900);
  expect(cost.fetches).toBe(1);
  const large = listing([...numbered(1_200).map((name) => `!/${name}`), ...numbered(900)]);
  expect((await large.page('', 1_000)).items).toHaveLength(900);
  expect(large.cost.fetches).toBeLessThan(8);
});
