import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewAttribute } from '../../../src/records/marketplace/attributes.ts';
import type { Records } from '../../../src/records/records.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let records: Records;
let acme: number;
let bravo: number;

beforeEach(async () => {
  fresh = await freshRecords();
  ({ records } = fresh);
  ({ partnerId: acme } = await records.partners.create('acme'));
  ({ partnerId: bravo } = await records.partners.create('bravo'));
});
afterEach(() => fresh[Symbol.asyncDispose]());

function attribute(partnerForeignKey: string | null, name = 'Tea'): NewAttribute {
  return { name, description: '', partnerForeignKey };
}

function taken(key: string) {
  return expect.objectContaining({
    code: 'foreign_key_taken',
    message: expect.stringContaining(JSON.stringify(key)),
  });
}

async function keys(partnerId = acme): Promise<(string | null)[]> {
  const attributes = await records.attributes.list(partnerId, { after: null, limit: 1_000 });
  return attributes.map(({ partnerForeignKey }) => partnerForeignKey);
}

describe('many attributes at once', () => {
  it('are created in their order, with and without keys', async () => {
    const given = Array.from({ length: 2_000 }, (_, n) =>
      attribute(n % 3 === 0 ? null : `key ${(n * 7_919) % 2_000}`, `Attribute ${n}`),
    );
    const ids = await records.attributes.createAll(acme, given);
    const made = await records.attributes.list(acme, { after: null, limit: 10_000 });
    expect(made.map(({ attributeId }) => attributeId)).toEqual(ids);
    expect(made).toMatchObject(given);
    const { segmentIds } = await records.attributes.segmentKeys(acme, 0);
    expect(new Set(segmentIds).size).toBe(2_000);
  });

  it('may be an empty list', async () => {
    expect(await records.attributes.createAll(acme, [])).toEqual([]);
  });

  it('are created all or none, and the error names the taken key', async () => {
    await records.attributes.create(acme, attribute('tea'));
    await records.attributes.create(bravo, attribute('milk'));
    const given = ['milk', null, 'tea', 'water'].map((key) => attribute(key));
    await expect(records.attributes.createAll(acme, given)).rejects.toEqual(taken('tea'));
    expect(await keys()).toEqual(['tea']);
  });

  it('are not created if a key is given twice', async () => {
    const given = ['milk', 'tea', null, null, 'tea'].map((key) => attribute(key));
    await expect(records.attributes.createAll(acme, given)).rejects.toEqual(taken('tea'));
    expect(await keys()).toEqual([]);
  });

  it('are created by only one of several concurrent requests for the same keys', async () => {
    const names = Array.from({ length: 200 }, (_, n) => `key ${n}`);
    const outcomes = await Promise.allSettled(
      [names, names.toReversed(), names].map((order) =>
        records.attributes.createAll(
          acme,
          order.map((key) => attribute(key)),
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(await keys()).toHaveLength(200);
  });
});

describe('an attribute', () => {
  it('changes only in the given fields', async () => {
    const attributeId = await records.attributes.create(acme, attribute('tea'));
    const before = await records.attributes.find(acme, attributeId);
    const update = (change: Partial<NewAttribute>) =>
      records.attributes.update(acme, attributeId, change);
    expect(await update({ name: 'Green tea' })).toBe(true);
    expect(await update({ description: 'hot' })).toBe(true);
    const changed = { name: 'Green tea', description: 'hot', partnerForeignKey: 'tea' };
    expect(await records.attributes.find(acme, attributeId)).toMatchObject(changed);
    expect(await update({ partnerForeignKey: null })).toBe(true);
    const after = await records.attributes.find(acme, attributeId);
    expect(after).toEqual({
      ...before,
      ...changed,
      partnerForeignKey: null,
      updatedAt: expect.any(Date),
    });
    expect(after!.updatedAt.getTime()).toBeGreaterThan(before!.updatedAt.getTime());
  });

  it('cannot take the key of another attribute, but may keep its own', async () => {
    const tea = await records.attributes.create(acme, attribute('tea'));
    await records.attributes.create(acme, attribute('milk'));
    await records.attributes.create(bravo, attribute('water'));
    const renamed = (partnerForeignKey: string) =>
      records.attributes.update(acme, tea, { partnerForeignKey, name: 'changed' });
    await expect(renamed('milk')).rejects.toEqual(taken('milk'));
    expect(await records.attributes.find(acme, tea)).toMatchObject({ name: 'Tea' });
    expect(await renamed('tea')).toBe(true);
    expect(await renamed('water')).toBe(true);
    expect(await keys()).toEqual(['water', 'milk']);
  });

  it('is not changed if it belongs to another partner or does not exist', async () => {
    const tea = await records.attributes.create(bravo, attribute('tea'));
    expect(await records.attributes.update(acme, tea, { name: 'mine' })).toBe(false);
    expect(await records.attributes.update(acme, 999_999, { name: 'mine' })).toBe(false);
    expect(await records.attributes.list(bravo, { after: null, limit: 1_000 })).toMatchObject([
      { name: 'Tea' },
    ]);
  });
});

describe('unknown keys', () => {
  it('are found by attribute id, in its canonical form', async () => {
    const [tea, milk] = await records.attributes.createAll(acme, [attribute('1'), attribute('2')]);
    const foreign = await records.attributes.create(bravo, attribute('3'));
    const given = [`0${tea}`, `${tea}`, ` ${tea}`, `${foreign}`, `${milk}`, '', '1e0', '-1', 'NaN'];
    expect(await records.attributes.unknownKeys(acme, 0, given)).toEqual(
      given.filter((key) => key !== `${tea}` && key !== `${milk}`),
    );
  });

  it('are found by foreign key, with any characters', async () => {
    const odd = ['ß', 'SS', 'é', 'e\u0301', '\ufffd', '{a,"b"}', 'NULL', '\\x00', '😀'];
    await records.attributes.createAll(
      acme,
      odd.map((key) => attribute(key)),
    );
    const known = fc.constantFrom(...odd);
    const anything = fc.oneof(known, fc.string({ unit: 'binary' }), fc.string());
    const surrogate = fc.constantFrom('\ud83d', '\ude00x', 'a\0b', '\0');
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.oneof(anything, surrogate)), async (given) => {
        expect(await records.attributes.unknownKeys(acme, 1, given)).toEqual(
          given.filter((key) => !odd.includes(key)),
        );
      }),
      { numRuns: process.env.TRIBUTARY_SOAK === '1' ? 1_000 : 30 },
    );
  });
});
