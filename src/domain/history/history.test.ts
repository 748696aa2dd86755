import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createDisclosures } from '../disclosure/disclosure.ts';
import { historyFigures } from './figures.ts';
import { changedAttributes, reasonsOf } from './reasons.ts';

describe('the figures of a history', () => {
  const audience = { devices: 100 };
  const released = {
    fingerprint: 'same',
    universeVersion: 1,
    matchedDevices: 80,
    universeDevices: 1_000,
    uniqueDevices: 100,
    ownMatched: 9,
    isOwn: false,
    erasures: 0,
  };
  const rules = { mode: 'exact', scale: 10, contentsPerDay: 200, threshold: 50 } as const;
  const draw = (text: string) => createHash('sha256').update(text).digest();
  const { of } = createDisclosures(rules, draw);
  const counts = [0, 7, 3, 7, 9, 1, 2];
  const attributes = counts.map((_, i) => ({
    segmentId: 10 + i,
    version: 1,
    devices: 50 + i,
    partnerId: i === 4 ? 1 : 2,
  }));
  const counted = { partnerId: 1, audience, attributes };
  const overlaps = new Map(counts.map((devices, i) => [10 + i, { version: 1, devices }]));

  test('have the five attributes with the most devices of the audience', () => {
    const figures = historyFigures(counted, overlaps, released, of('exact'), 50);
    expect(figures).toMatchObject({
      uniqueDevices: 100,
      matchedDevices: 80,
      universeDevices: 1_000,
    });
    expect(figures.top).toEqual([
      { segmentId: 14, audienceDevices: 9, baselineDevices: 54 },
      { segmentId: 11, audienceDevices: 7, baselineDevices: 51 },
      { segmentId: 13, audienceDevices: 7, baselineDevices: 53 },
      { segmentId: 12, audienceDevices: 3, baselineDevices: 52 },
      { segmentId: 16, audienceDevices: 2, baselineDevices: 56 },
    ]);
  });

  test('have noise where other partners are counted', () => {
    const { matchedDevices, universeDevices, top, uniqueDevices } = historyFigures(
      counted,
      overlaps,
      released,
      of('protected'),
      50,
    );
    expect(uniqueDevices).toBe(100);
    expect([matchedDevices, universeDevices]).not.toEqual([80, 1_000]);
    const own = { segmentId: 14, audienceDevices: 9, baselineDevices: 54 };
    const noised = top.filter(
      ({ segmentId, audienceDevices }) => audienceDevices !== overlaps.get(segmentId)!.devices,
    );
    expect(noised.length).toBeGreaterThan(0);
    expect(noised).not.toContainEqual(expect.objectContaining({ segmentId: own.segmentId }));
    for (const attribute of top) {
      if (attribute.segmentId === own.segmentId) expect(attribute).toEqual(own);
    }
  });

  test('of an audience that has no devices are zero', () => {
    const empty = { ...counted, audience: { devices: 0 } };
    const nothing = { ...released, matchedDevices: 0 };
    const figures = historyFigures(empty, new Map(), nothing, of('exact'), 50);
    expect(figures).toMatchObject({ uniqueDevices: 0, matchedDevices: 0, top: [] });
  });
});

describe('the reasons of a change', () => {
  const current = [
    { segmentId: 10, version: 4 },
    { segmentId: 12, version: 1 },
    { segmentId: 20, version: 7 },
  ];

  test('are found among attributes that changed, came or went', () => {
    const versions = (...of: [number, number][]) =>
      new Map(of.map(([segmentId, version]) => [segmentId, { version }]));
    const counted = versions([9, 2], [10, 4], [20, 5], [100, 1], [1, 3]);
    expect([...changedAttributes(counted, current, 1)]).toEqual([
      { segmentId: 12, since: 0 },
      { segmentId: 20, since: 5 },
      { segmentId: 9, since: 2 },
      { segmentId: 100, since: 1 },
    ]);
    const same = versions([10, 4], [12, 1], [20, 7]);
    expect([...changedAttributes(same, current, 1)]).toEqual([]);
    expect([...changedAttributes(same.set(1, { version: 3 }), current, 1)]).toEqual([]);
  });

  test('are those since the last report', () => {
    const causes = { load: 1, append: 3, privacy: 2 };
    expect(reasonsOf({ causes, since: 2 }, [], new Map())).toEqual(['append']);
    expect(reasonsOf({ causes, since: 1 }, [], new Map())).toEqual(['append', 'privacy']);
    expect(reasonsOf({ causes, since: 3 }, [], new Map())).toEqual([]);
    expect(reasonsOf({ causes: {}, since: 0 }, [], new Map())).toEqual([]);
  });

  test('of the first report after a clear do not include it or anything before', () => {
    const causes = { load: 5, append: 3, clear: 4 };
    expect(reasonsOf({ causes, since: null }, [], new Map())).toEqual(['load']);
  });

  test('include what happened to attributes, and a deletion if one is gone', () => {
    const audience = { causes: {}, since: 1 };
    const causesOf = new Map([
      [10, { import: 4, privacy: 1 }],
      [12, { replace: 2, deletion: 3 }],
      [20, { import: 1, privacy: 6 }],
    ]);
    const since = (segmentId: number, version: number) => [{ segmentId, since: version }];
    expect(reasonsOf(audience, since(10, 3), causesOf)).toEqual(['attribute_import']);
    expect(reasonsOf(audience, since(12, 1), causesOf)).toEqual([
      'attribute_import',
      'attribute_deletion',
    ]);
    expect(reasonsOf(audience, since(20, 5), causesOf)).toEqual(['privacy']);
    expect(reasonsOf(audience, since(30, 5), causesOf)).toEqual(['attribute_deletion']);
  });
});
