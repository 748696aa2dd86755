import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../expectations.ts';
import {
  type Marketplace,
  type Partner,
  rows,
  startMarketplace,
} from '../marketplace/marketplace.ts';
import { until } from '../service.ts';
import { expectedCells, type KnownAttribute, overlapOf, rounded } from './figures.ts';
import {
  type AttributeCell,
  allAttributes,
  audiencePath,
  type Composition,
  type Ingest,
  ingestOf,
  operatorOf,
  timestamp,
} from './ingest.ts';

/** The first and the last device number, both inclusive. */
type Range = readonly [number, number];

let marketplace: Marketplace;
let operator: ReturnType<typeof operatorOf>;
/** The partner that owns the audiences, and another one that also has an attribute. */
let acme: Partner;
let bravo: Partner;
let ingest: Ingest;
/** All attributes of the marketplace, by name. */
const held = new Map<string, { readonly attributeId: number; devices: Set<number> }>();

// All tests share one universe, so the tests of this file run one after another.
beforeAll(async () => {
  marketplace = await startMarketplace();
  operator = operatorOf(marketplace);
  acme = await marketplace.partner('half', 'wide', 'few', 'all', 'none');
  bravo = await marketplace.partner('narrow');
  ingest = ingestOf(acme);
  for (const attribute of await allAttributes(marketplace.service, marketplace.adminToken)) {
    held.set(attribute.name, { attributeId: attribute.attribute_id, devices: new Set() });
  }
});
afterAll(() => marketplace?.[Symbol.asyncDispose]());

async function imported(partner: Partner, name: string, ...ranges: readonly Range[]) {
  const text = ranges.map(([first, last]) => rows(first, last, name)).join('');
  expect(await partner.importedFile(text)).toMatchObject({ status: 2, errors: null });
  held.set(name, {
    attributeId: held.get(name)?.attributeId ?? 0,
    devices: new Set([...setOf(...ranges), ...(held.get(name)?.devices ?? [])]),
  });
}

function setOf(...ranges: readonly Range[]): Set<number> {
  return new Set(
    ranges.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, i) => first + i),
    ),
  );
}

function known(): KnownAttribute[] {
  return [...held].map(([name, attribute]) => ({ name, ...attribute }));
}

/** Checks the whole report of an audience of these devices, except for its labels. */
function expectComposition(report: Composition, devices: ReadonlySet<number>): void {
  const universe = new Set(known().flatMap((attribute) => [...attribute.devices]));
  expect(report).toMatchObject({
    stale: false,
    universe_devices: universe.size,
    unique_devices: devices.size,
    matched_devices: overlapOf(devices, universe).size,
  });
  expect(rounded(report.attributes)).toEqual(rounded(expectedCells(devices, known())));
}

/** Waits for the background refresh after a change of attributes. */
function refreshedReport(audienceId: number): Promise<Composition> {
  return until('the report to be refreshed', async () => {
    const report = await ingest.composition(audienceId);
    return !report.stale && report;
  });
}

function cellOf(report: Pick<Composition, 'attributes'>, name: string): AttributeCell {
  const cell = report.attributes.find((attribute) => attribute.name === name);
  if (!cell) throw new Error(`the report has no attribute ${name}`);
  return cell;
}

describe('the composition', () => {
  test('is 404, not_computed_yet, before the first computation', async () => {
    const lane = await acme.held();
    const id = await ingest.create('later.csv');
    const answer = await acme.call('GET', `${audiencePath}/${id}/composition`);
    expectProblem(answer, 404, 'not_computed_yet');
    lane.release();
    expect(await ingest.settled(id)).toMatchObject({ status: 3 });
  });

  test('with an empty universe has every attribute, with nulls and the reason', async () => {
    const { audience_id } = await ingest.loadedFile(rows(1, 200, ''));
    const report = await ingest.composition(audience_id);
    expectComposition(report, setOf([1, 200]));
    expect(cellOf(report, 'half')).toMatchObject({
      baseline_devices: 0,
      baseline_share: null,
      suppressed: 'audience_too_small',
    });
  });

  test('is recomputed before the load has status 2, with exactly the specified fields', async () => {
    await imported(acme, 'half', [1, 1_000]);
    await imported(acme, 'wide', [501, 1_500]);
    await imported(acme, 'few', [1, 449]);
    await imported(acme, 'all', [1, 2_000]);
    await imported(bravo, 'narrow', [600, 700], [1_900, 1_905]);
    const { audience_id, default_warehouse_segment_id } = await ingest.loadedFile(
      rows(401, 900, 'seen') + rows(5_001, 5_100, 'seen') + rows(880, 900, 'bought'),
    );
    const report = await ingest.composition(audience_id);
    expect(Object.keys(report)).toEqual([
      'audience_id',
      'default_warehouse_segment_id',
      'computed_at',
      'universe_version',
      'stale',
      'disclosure',
      'universe_devices',
      'unique_devices',
      'matched_devices',
      'baseline',
      'suppliers',
      'attributes',
      'events',
    ]);
    expect(report).toMatchObject({ audience_id, default_warehouse_segment_id });
    expect(report.computed_at).toMatch(timestamp);
    expect(report.universe_version).toBe((await operator.universe()).version);
    expectComposition(report, setOf([401, 900], [5_001, 5_100]));
    expect(report.events).toEqual([
      { label: 'seen', devices: 600, share: 1 },
      { label: 'bought', devices: 21, share: 21 / 600 },
    ]);
  });

  test('has the figures of a calculation by hand', async () => {
    // M is 401 to 900: 400 of its 500 devices are among the 1,000 of `wide`, of 2,000 in all.
    const { audience_id } = await ingest.loadedFile(rows(401, 900, ''));
    const { attributes } = await ingest.composition(audience_id);
    const [wide] = rounded(attributes.filter(({ name }) => name === 'wide'));
    expect(wide).toEqual({
      attribute_id: held.get('wide')?.attributeId,
      name: 'wide',
      audience_devices: 400,
      audience_share: 0.8,
      audience_share_low: expect.closeTo(0.7627, 4),
      audience_share_high: expect.closeTo(0.8327, 4),
      baseline_devices: 1_000,
      baseline_share: 0.5,
      index: 160,
      index_low: expect.closeTo(152.8757, 4),
      index_high: expect.closeTo(167.4563, 4),
      z: expect.closeTo(15.4919, 4),
      q: expect.any(Number),
      exact: true,
      suppressed: null,
    });
  });

  test('suppresses a cell with fewer than 50 devices in M∩a, or fewer than 50 in M∖a', async () => {
    const { audience_id } = await ingest.loadedFile(rows(400, 900, ''));
    const report = await ingest.composition(audience_id);
    expect(cellOf(report, 'few')).toMatchObject({ audience_devices: 50, suppressed: null });
    const { audience_id: fewer } = await ingest.loadedFile(rows(401, 900, ''));
    const without = await ingest.composition(fewer);
    const nulls = {
      audience_devices: null,
      audience_share: null,
      index: null,
      index_low: null,
      index_high: null,
      z: null,
    };
    expect(cellOf(without, 'few')).toMatchObject({ ...nulls, suppressed: 'too_few_devices' });
    expect(cellOf(without, 'none')).toMatchObject({ ...nulls, suppressed: 'too_few_devices' });
    expect(cellOf(without, 'half')).toMatchObject({ ...nulls, suppressed: 'too_few_others' });
    // Baselines are never suppressed.
    expect(cellOf(without, 'few')).toMatchObject({ baseline_devices: 449, baseline_share: 0.2245 });
    const { audience_id: others } = await ingest.loadedFile(rows(951, 1_050, ''));
    expect(cellOf(await ingest.composition(others), 'half')).toMatchObject({
      audience_devices: 50,
      suppressed: null,
    });
  });

  test('suppresses every cell of an audience with fewer than 50 matched devices', async () => {
    const { audience_id } = await ingest.loadedFile(rows(1, 49, 'k') + rows(9_001, 9_100, ''));
    const report = await ingest.composition(audience_id);
    expectComposition(report, setOf([1, 49], [9_001, 9_100]));
    for (const { suppressed } of report.attributes) expect(suppressed).toBe('audience_too_small');
    expect(report.events).toEqual([{ label: 'k', devices: 49, share: 49 / 149 }]);
  });

  test('has no z if the audience is the whole universe', async () => {
    const { audience_id } = await ingest.loadedFile(rows(1, 2_000, ''));
    const report = await ingest.composition(audience_id);
    expectComposition(report, setOf([1, 2_000]));
    expect(cellOf(report, 'half')).toMatchObject({
      audience_devices: 1_000,
      index: 100,
      z: null,
      suppressed: 'no_devices_outside',
    });
  });

  test('has the fields of the attributes as columns in CSV', async () => {
    const { audience_id } = await ingest.loadedFile(rows(301, 1_000, ''));
    const { attributes } = await ingest.composition(audience_id);
    const headers = { accept: 'text/csv' };
    const address = `${audiencePath}/${audience_id}/composition`;
    const answer = await acme.call('GET', address, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    const lines = answer.text.split('\r\n');
    expect(lines.at(-1)).toBe('');
    const columns =
      'attribute_id,name,partner_id,audience_devices,audience_share,audience_share_low,audience_share_high,baseline_devices,baseline_share,index,index_low,index_high,z,q,exact,suppressed';
    expect(lines[0]).toBe(columns);
    // None of these names needs quoting. A z below zero is a number, not a formula.
    expect(lines.slice(1, -1).map((line) => line.split(','))).toEqual(
      attributes.map((cell) =>
        columns.split(',').map((column) => String(cell[column as keyof AttributeCell] ?? '')),
      ),
    );
    expect(cellOf({ attributes }, 'few').z).toBeLessThan(0);
  });

  test('includes appended files', async () => {
    const { audience_id } = await ingest.loadedFile(rows(1, 100, 'a'));
    expectComposition(await ingest.composition(audience_id), setOf([1, 100]));
    await acme.upload('more.csv', rows(51, 1_200, 'b'));
    await ingest.appended(audience_id, 'more.csv');
    const report = await ingest.composition(audience_id);
    expectComposition(report, setOf([1, 1_200]));
    expect(report.events).toEqual([
      { label: 'a', devices: 100, share: 100 / 1_200 },
      { label: 'b', devices: 1_150, share: 1_150 / 1_200 },
    ]);
  });

  test('is stale after universe changes until a background refresh, which keeps updated_at', async () => {
    const before = await ingest.loadedFile(rows(1_801, 2_400, ''));
    expect(before.matched_devices).toBe(200);
    const old = await ingest.composition(before.audience_id);
    await imported(bravo, 'narrow', [2_001, 2_300]);
    const refreshed = await until('the report to be refreshed', async () => {
      const report = await ingest.composition(before.audience_id);
      if (report.computed_at === old.computed_at) {
        expect(report).toEqual({ ...old, stale: true });
        return false;
      }
      return !report.stale && report;
    });
    expectComposition(refreshed, setOf([1_801, 2_400]));
    expect(refreshed.universe_version).toBeGreaterThan(old.universe_version);
    expect(await ingest.details(before.audience_id)).toEqual({ ...before, matched_devices: 500 });
  });

  test('and matched_devices shrink when data of attributes is deleted', async () => {
    const before = await ingest.loadedFile(rows(1_801, 2_400, ''));
    await bravo.deleted(['narrow']);
    held.set('narrow', { attributeId: bravo.attributeIds[0] ?? 0, devices: new Set() });
    expect(await operator.universeSettled()).toMatchObject({ backlog: 0, outdated_audiences: 0 });
    expect(await ingest.details(before.audience_id)).toEqual({ ...before, matched_devices: 200 });
    expectComposition(await ingest.composition(before.audience_id), setOf([1_801, 2_400]));
  });

  test('follows the creation and removal of attributes', async () => {
    const { audience_id } = await ingest.loadedFile(rows(1, 300, ''));
    const [attributeId = 0] = await bravo.attributes('new');
    held.set('new', { attributeId, devices: new Set() });
    await imported(bravo, 'new', [1, 100]);
    await operator.universeSettled();
    expectComposition(await refreshedReport(audience_id), setOf([1, 300]));
    const removed = await bravo.call('DELETE', `/v1/marketplace/attribute/${attributeId}`);
    await bravo.ended(removed.body.import_log_id);
    held.delete('new');
    await operator.universeSettled();
    expectComposition(await refreshedReport(audience_id), setOf([1, 300]));
  });

  test('is removed by a clear until the report of the empty audience is computed', async () => {
    const { audience_id } = await ingest.loadedFile(rows(1, 300, 'k'));
    await ingest.clear(audience_id);
    const address = `${audiencePath}/${audience_id}/composition`;
    const report = await until('the report to be computed', async () => {
      const answer = await acme.call('GET', address);
      if (answer.status === 200) return answer.body as Composition;
      expectProblem(answer, 404, 'not_computed_yet');
      return false;
    });
    expectComposition(report, new Set());
    expect(report.events).toEqual([]);
  });

  test('is up to date for all audiences within seconds of the last change', async () => {
    const deadline = Date.now() + 10_000;
    await imported(acme, 'half', [3_001, 3_100]);
    await operator.universeSettled();
    expect(Date.now()).toBeLessThan(deadline);
    await sleep(200);
    for (const { audience_id } of await ingest.list()) {
      expect(await ingest.composition(audience_id)).toMatchObject({ stale: false });
    }
  });
});
