import { describe, expect, test } from 'vitest';
import { audiences } from '../people/audiences.ts';
import { compass, northfield, taxonomyCsv } from '../people/taxonomy.ts';
import { createPopulation, type Trait, traitNames } from '../people/traits.ts';
import { audienceHeader, createAudienceLines } from './audience-file.ts';
import { csvChunks, type WriteLines } from './csv-chunks.ts';
import { createSellerLines, sellerHeader } from './seller-file.ts';

const population = createPopulation(40_000);
const device = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const zeroed = '00000000-0000-0000-0000-000000000000';

async function linesOf(header: string, devices: number, writeLines: WriteLines) {
  const progress: number[] = [];
  const chunks: Buffer[] = [];
  for await (const chunk of csvChunks(header, devices, writeLines, (n) => progress.push(n))) {
    chunks.push(chunk);
  }
  const lines = Buffer.concat(chunks).toString().split('\n');
  expect(lines.shift()).toBe(header);
  expect(lines.pop()).toBe('');
  return { lines: lines.map((line) => line.split(',')), progress, chunks };
}

function isGood([id = '']: readonly string[]): boolean {
  return device.test(id) && id !== zeroed;
}

describe('the taxonomy', () => {
  test('has 40 attributes in six categories, with distinct keys and names', () => {
    const all = [...northfield.attributes, ...compass.attributes];
    expect(all).toHaveLength(40);
    expect(new Set(all.map(({ key }) => key)).size).toBe(40);
    expect(new Set(all.map(({ name }) => name)).size).toBe(40);
    expect(new Set(all.map(({ name }) => name.split(' > ')[0])).size).toBe(6);
  });

  test('has one CSV line per attribute', () => {
    const lines = taxonomyCsv(compass).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + compass.attributes.length);
    expect(lines[0]).toBe('name,description,partnerkey');
    for (const line of lines.slice(1)) expect(line).toMatch(/^[^",]+,"[^"]*",[a-z0-9-]+$/);
  });
});

describe("a partner's file", async () => {
  const { lines, progress, chunks } = await linesOf(
    sellerHeader,
    population.devices,
    createSellerLines(northfield, population),
  );

  test('has each device once, with keys of the partner', () => {
    const good = lines.filter(isGood).filter(([, , , , keys]) => keys !== 'retired-key');
    expect(new Set(good.map(([id]) => id)).size).toBe(good.length);
    expect(good.length / population.devices).toBeCloseTo(0.56, 1);
    const known = new Set(northfield.attributes.map(({ key }) => key));
    const strange = good.filter(([, idType = '', country, operation, keys = '']) => {
      const held = keys.split('|');
      const areKeys = new Set(held).size === held.length && held.every((key) => known.has(key));
      return !(areKeys && /^[13]$/.test(idType) && country === 'US' && operation === '0');
    });
    expect(strange).toEqual([]);
  });

  test('has a few invalid lines, far below the limit of an import', () => {
    const bad = lines.filter((line) => !isGood(line) || line[4] === 'retired-key');
    expect(bad.length).toBeGreaterThan(0);
    expect(bad.length / lines.length).toBeLessThan(0.01);
  });

  test('comes in chunks and reports its progress', () => {
    expect(chunks.length).toBeGreaterThan(1);
    expect(progress).toHaveLength(chunks.length);
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));
    expect(progress.at(-1)).toBe(population.devices);
  });

  test('is the same in every run', async () => {
    const again = await linesOf(sellerHeader, 500, createSellerLines(northfield, population));
    expect(again.lines).toEqual(lines.slice(0, again.lines.length));
  });
});

describe.each(audiences)('the files of $name', (audience) => {
  test('favour devices with the typical trait, and contain all strangers', async () => {
    const [week = ''] = audience.weeks;
    const strangers = 300;
    const writeLines = createAudienceLines(audience, week, population);
    const known = await linesOf(audienceHeader, population.devices, writeLines);
    const all = await linesOf(audienceHeader, population.devices + strangers, writeLines);
    const unique = (lines: string[][]) => new Set(lines.filter(isGood).map(([id]) => id)).size;
    expect(unique(all.lines) - unique(known.lines)).toBe(strangers);
    expect(known.lines.filter(isGood).length).toBeGreaterThan(unique(known.lines));
    const labels = new Set(all.lines.map(([, label]) => label));
    expect([...labels].sort()).toEqual(Object.keys(audience.events).sort());

    const [trait = ''] = Object.entries(audience.lifts ?? {}).reduce((one, other) =>
      other[1] > one[1] ? other : one,
    );
    const bit = 1 << traitNames.indexOf(trait as Trait);
    const tally = { with: 0, without: 0, members: 0, others: 0 };
    const room = Buffer.alloc(4_096);
    population.traits.forEach((bits, index) => {
      const isMember = writeLines(room, 0, index) > 0;
      if (bits & bit) tally.with++;
      else tally.without++;
      if (isMember && bits & bit) tally.members++;
      else if (isMember) tally.others++;
    });
    expect(tally.members / tally.with).toBeGreaterThan((2 * tally.others) / tally.without);
  });
});
