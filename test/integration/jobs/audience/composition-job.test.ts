import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDisclosures } from '../../../../src/domain/disclosure/disclosure.ts';
import {
  type CompositionDependencies,
  refreshComposition,
  refreshCompositions,
} from '../../../../src/jobs/audience/composition.ts';
import { createFoldWait } from '../../../../src/jobs/audience/fold-wait.ts';
import { refreshAudiences } from '../../../../src/jobs/audience/refresh-audiences.ts';
import type { DeviceSet, Warehouse } from '../../../../src/warehouse/port.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../../support/audiences.ts';
import { exactDisclosures, exactRules } from '../../../support/composition-counts.ts';
import { deviceRows as rows } from '../../../support/devices.ts';

let audiences: Audiences;
let acme: LoadingPartner;
/** The device numbers of each attribute, by attribute id. */
let attributes: Map<number, Set<number>>;
/** The device numbers of the audience. */
let members: Set<number>;
let files = 0;

beforeEach(async () => {
  audiences = await freshAudiences();
  acme = await audiences.partner();
  attributes = new Map();
  for (let n = 0; n < 4; n++) attributes.set(await acme.attribute(), new Set());
  members = new Set();
});
afterEach(() => audiences[Symbol.asyncDispose]());

const { signal } = new AbortController();

async function importRows(attribute: number, from: number, to: number): Promise<void> {
  await acme.put('attributes.csv', rows(from, to, attribute));
  await acme.import('attributes.csv');
  for (let number = from; number < to; number++) attributes.get(attribute)!.add(number);
}

/** Uploads a file for the audience. */
async function put(from: number, to: number, label = ''): Promise<string> {
  const path = `${++files}.csv`;
  await acme.put(path, rows(from, to, label));
  for (let number = from; number < to; number++) members.add(number);
  return path;
}

/** The expected composition, counted naively. */
function naive() {
  const universe = new Set([...attributes.values()].flatMap((held) => [...held]));
  const within = (held: Set<number>) => [...members].filter((number) => held.has(number)).length;
  return {
    stale: false,
    universeDevices: universe.size,
    uniqueDevices: members.size,
    matchedDevices: within(universe),
    attributes: [...attributes].map(([attributeId, held]) => ({
      attributeId,
      name: 'Interests > Tea',
      audienceDevices: within(held),
      baselineDevices: held.size,
    })),
  };
}

/**
 * One comparison: the whole audience or only its staged runs, and with how many segments, whole or
 * only what they gained.
 */
type Comparison = `${'whole' | 'staged'} in ${number}${'' | ' gains'}`;

function watched(calls: Comparison[]): Warehouse {
  return {
    ...audiences.warehouse,
    overlap(of: DeviceSet, segmentIds, stopped) {
      calls.push(`${'segmentId' in of ? 'whole' : 'staged'} in ${segmentIds.length}`);
      return audiences.warehouse.overlap(of, segmentIds, stopped);
    },
    compare(sets, parts, stopped) {
      const set = 'segmentId' in sets[0]! ? 'whole' : 'staged';
      const gains = parts.some(({ since }) => since !== undefined);
      calls.push(`${set} in ${parts.length}${gains ? ' gains' : ''}`);
      return audiences.warehouse.compare(sets, parts, stopped);
    },
  };
}

async function work(): Promise<Comparison[]> {
  const calls: Comparison[] = [];
  await audiences.work({ warehouse: watched(calls) });
  return calls;
}

function counting(warehouse: Warehouse = audiences.warehouse): CompositionDependencies {
  const waitForFold = createFoldWait(audiences);
  return { records: audiences.records, warehouse, waitForFold, disclosures: exactDisclosures };
}

async function refresh(tea: number): Promise<Comparison[]> {
  const calls: Comparison[] = [];
  await refreshComposition(counting(watched(calls)), tea, signal);
  return calls;
}

describe('the composition of an audience', () => {
  it('is not held back if no other partner has devices to protect', async () => {
    const [first] = [...attributes.keys()] as [number];
    await importRows(first, 0, 60);
    const tea = await acme.create(await put(50, 80));
    const rules = { ...exactRules, mode: 'protected', contentsPerDay: 0 } as const;
    await audiences.work({ disclosures: createDisclosures(rules, () => new Uint8Array(16)) });
    expect(await acme.composition(tea)).toMatchObject(naive());
  });

  it('is computed when a load ends, counting only what changed', async () => {
    const [first, second, third] = [...attributes.keys()] as [number, number, number];
    await importRows(first, 0, 60);
    await importRows(second, 40, 90);
    await importRows(third, 500, 600);
    const tea = await acme.create(await put(50, 80, 'open'));
    expect(await acme.composition(tea)).toBeUndefined();
    // The commit counts the matched devices; then every attribute with devices is counted.
    expect(await work()).toEqual(['whole in 1', 'whole in 3']);
    expect(await acme.composition(tea)).toMatchObject(naive());
    expect(await acme.composition(tea)).toMatchObject({ events: [{ label: 'open', devices: 30 }] });

    await acme.append(tea, await put(55, 65, 'buy'));
    await acme.append(tea, await put(0, 10));
    await acme.append(tea, await put(70, 120, 'buy'));
    // The first file added no devices. The others count only the added devices.
    expect(await work()).toEqual(['staged in 1', 'staged in 3', 'staged in 1', 'staged in 3']);
    expect(await acme.composition(tea)).toMatchObject({
      ...naive(),
      events: [
        { label: 'open', devices: 30 },
        { label: 'buy', devices: 60 },
      ],
    });

    await importRows(second, 100, 110);
    expect(await acme.composition(tea)).toMatchObject({ stale: true });
    expect(await refresh(tea)).toEqual(['whole in 2 gains']);
    expect(await acme.composition(tea)).toMatchObject(naive());
    expect(await acme.details(tea)).toMatchObject({ matchedDevices: naive().matchedDevices });

    await acme.delete([first]);
    attributes.set(first, new Set());
    await acme.append(tea, await put(500, 510));
    // The universe changed: matched devices are counted again over the whole audience.
    expect(await work()).toEqual(['whole in 1', 'staged in 2']);
    expect(await acme.composition(tea)).toMatchObject(naive());
    expect(await refresh(tea)).toEqual([]);

    await acme.clear(tea);
    members.clear();
    expect(await refresh(tea)).toEqual([]);
    await acme.append(tea, await put(45, 50));
    await work();
    const replace = { mode: 'replace' } as const;
    await acme.put('attributes.csv', rows(46, 48, third));
    await acme.import('attributes.csv', replace);
    await refresh(tea);
    const everything = { after: null, limit: 100 };
    const changes = await audiences.records.audienceHistory.list(tea, everything);
    const shown = changes.map(({ reasons, uniqueDevices, matchedDevices, top }) => {
      const largest = top.map(({ attributeId, audienceDevices }) => [attributeId, audienceDevices]);
      return [reasons.join(), uniqueDevices, matchedDevices, ...largest];
    });
    expect(shown).toEqual([
      ['attribute_import', 5, 5, [second, 5], [third, 2]],
      ['load', 5, 5, [second, 5]],
      ['clear', 0, 0],
      ['append,attribute_deletion', 90, 60, [second, 50], [third, 10]],
      ['attribute_import', 80, 60, [second, 50], [first, 20]],
      ['append', 80, 50, [second, 40], [first, 20]],
      ['append', 40, 40, [second, 30], [first, 20]],
      ['load', 30, 30, [second, 30], [first, 10]],
    ]);
    const ofAttribute = (id: number) => audiences.records.attributeHistory.list(id, everything);
    expect(await ofAttribute(first)).toMatchObject([
      { number: 2, reason: 'deletion', uniqueDevices: 0 },
      { number: 1, reason: 'import', uniqueDevices: 60 },
    ]);
    expect(await ofAttribute(third)).toMatchObject([
      { reason: 'replace', uniqueDevices: 2 },
      { reason: 'import', uniqueDevices: 100 },
    ]);
  });

  it('needs no counting if the audience is empty or nothing changed', async () => {
    await importRows([...attributes.keys()][0]!, 0, 60);
    const path = await put(50, 80, 'open');
    const tea = await acme.create(path);
    await acme.clear(tea);
    members.clear();
    expect(await refresh(tea)).toEqual([]);
    expect(await acme.composition(tea)).toMatchObject({ ...naive(), events: [] });

    await acme.append(tea, await put(50, 80));
    await work();
    const { computedAt } = (await acme.composition(tea))!;
    await acme.append(tea, path);
    await acme.append(tea, path);
    await work();
    expect(await refresh(tea)).toEqual([]);
    expect((await acme.composition(tea))!.computedAt > computedAt).toBe(true);
    expect(await acme.composition(tea)).toMatchObject(naive());
  });

  it('counts the whole audience if the added runs are missing', async () => {
    await importRows([...attributes.keys()][0]!, 0, 60);
    const tea = await acme.create(await put(50, 80));
    await work();
    await acme.append(tea, await put(10, 20));
    const calls: Comparison[] = [];
    const { compare, ...others } = watched(calls);
    await audiences.work({
      warehouse: {
        ...others,
        async compare(sets, parts, stopped) {
          const { staged } = sets[0]!;
          if (!staged) return compare(sets, parts, stopped);
          // As after a compaction and a sweep.
          const path = join(audiences.warehouseDir, staged[0]!.file);
          await rename(path, `${path}.gone`);
          return compare(sets, parts, stopped).finally(() => rename(`${path}.gone`, path));
        },
      },
    });
    expect(calls).toEqual(['staged in 1', 'staged in 1', 'whole in 1']);
    expect(await acme.composition(tea)).toMatchObject(naive());
  });

  it('is left to a later refresh if counting the added devices fails unexpectedly', async () => {
    await importRows([...attributes.keys()][0]!, 0, 60);
    const tea = await acme.create(await put(50, 80));
    await work();
    await acme.append(tea, await put(10, 20));
    const calls: Comparison[] = [];
    await audiences.work({
      warehouse: {
        ...watched(calls),
        compare() {
          throw new TypeError('parts.map is not a function');
        },
      },
    });
    expect(calls).toEqual(['staged in 1']);
    expect(await acme.composition(tea)).toMatchObject({ stale: true });
    await refresh(tea);
    expect(await acme.composition(tea)).toMatchObject(naive());
  });

  it('is counted again if the universe changes, and stored as stale if it keeps changing', async () => {
    const [first, second] = [...attributes.keys()] as [number, number];
    await importRows(first, 0, 60);
    await importRows(second, 60, 70);
    const tea = await acme.create(await put(0, 1_000));
    await audiences.work();
    const bravo = await audiences.partner();
    const other = await bravo.attribute();
    let changed = 0;

    async function refreshWhile(changes: number): Promise<Comparison[]> {
      const calls: Comparison[] = [];
      const { compare } = watched(calls);
      await refreshComposition(
        counting({
          ...audiences.warehouse,
          async compare(sets, parts, stopped) {
            const counts = await compare(sets, parts, stopped);
            if (calls.length > changes) return counts;
            await bravo.put('attributes.csv', rows(200, 210 + changed++, other));
            await bravo.import('attributes.csv');
            return counts;
          },
        }),
        tea,
        signal,
      );
      return calls;
    }

    await importRows(second, 100, 110);
    expect(await refreshWhile(2)).toEqual([
      'whole in 2 gains',
      'whole in 2 gains',
      'whole in 2 gains',
    ]);
    attributes.set(other, new Set(Array.from({ length: 11 }, (_, n) => 200 + n)));
    expect(await acme.composition(tea)).toMatchObject(naive());

    await importRows(second, 110, 120);
    expect(await refreshWhile(Number.POSITIVE_INFINITY)).toHaveLength(4);
    expect(await acme.composition(tea)).toMatchObject({ stale: true, uniqueDevices: 1_000 });
    attributes.set(other, new Set(Array.from({ length: 9 + changed }, (_, n) => 200 + n)));
    await refresh(tea);
    expect(await acme.composition(tea)).toMatchObject(naive());
  });
});

describe('a clear during the count', () => {
  it('discards the count in favour of what is loaded afterwards', async () => {
    const [first] = [...attributes.keys()] as [number];
    await importRows(first, 0, 60);
    const tea = await acme.create(await put(0, 40));
    await audiences.work();
    await acme.import('attributes.csv');
    const { generation } = (await audiences.records.compositions.bases([tea])).get(tea)!;
    // 40 devices are counted, at a version that the next load reaches with one more commit.
    members.clear();
    const compare: Warehouse['compare'] = async (sets, parts, stopped) => {
      const counts = await audiences.warehouse.compare(sets, parts, stopped);
      await acme.clear(tea);
      await acme.append(tea, await put(20, 30));
      await audiences.work();
      return counts;
    };
    const deps = counting({ ...audiences.warehouse, compare });
    await importRows(first, 60, 61);
    const commits = [[], []];
    expect(await refreshComposition(deps, tea, signal, { generation, commits })).toBe(false);
    expect(await acme.composition(tea)).toMatchObject(naive());
    // A count of an earlier generation does not even start.
    expect(await refreshComposition(counting(), tea, signal, { generation, commits })).toBe(false);
  });
});

describe('the refresh of audiences', () => {
  const soon = { quietMs: 20, patienceMs: 200, retryMs: 60_000 };

  it('updates all outdated audiences and does nothing if there are none', async () => {
    const [first, second] = [...attributes.keys()] as [number, number];
    await importRows(first, 0, 60);
    const tea = await acme.create(await put(50, 80));
    const milk = await acme.create(await put(50, 80));
    await audiences.work();
    const task = refreshAudiences(audiences, soon);
    expect(await task.run(signal)).toEqual({ audiences: 0, suppliers: 0 });
    const { updatedAt } = await acme.details(tea);

    await importRows(second, 70, 100);
    await audiences.warehouse.refreshUniverse(signal);
    expect(await audiences.records.compositions.backlog()).toEqual({ audiences: 2, seconds: null });
    expect(await task.run(signal)).toEqual({ audiences: 2, suppliers: 0 });
    expect(await audiences.records.compositions.backlog()).toMatchObject({ audiences: 0 });
    for (const audience of [tea, milk]) {
      expect(await acme.composition(audience)).toMatchObject(naive());
      expect(await acme.details(audience)).toMatchObject({ matchedDevices: 20 });
    }
    expect((await acme.details(tea)).updatedAt).toEqual(updatedAt);

    await importRows(second, 100, 101);
    await audiences.warehouse.refreshUniverse(signal);
    const backlog = await audiences.records.compositions.backlog();
    expect(backlog).toEqual({ audiences: 2, seconds: expect.toSatisfy((s) => s > 0) });
  });

  it('counts the suppliers that are wanted, and again when their attributes change', async () => {
    const [first, second] = [...attributes.keys()] as [number, number];
    await importRows(first, 0, 60);
    await importRows(second, 40, 100);
    const tea = await acme.create(await put(90, 120));
    const other = await audiences.partner();
    const foreign = await other.attribute();
    await other.put('attributes.csv', rows(100, 110, foreign));
    await other.import('attributes.csv');
    await audiences.work();
    await audiences.warehouse.refreshUniverse(signal);
    const { baselines } = audiences.records;
    const [own, theirs] = [acme, other].map(({ partnerId }) => ({ audienceId: tea, partnerId }));
    let meanwhile = async () => {};
    const counted: number[] = [];
    const countDistinct: Warehouse['countDistinct'] = async (segmentIds, stopped) => {
      counted.push(segmentIds.length);
      const devices = await audiences.warehouse.countDistinct(segmentIds, stopped);
      await meanwhile();
      return devices;
    };
    const warehouse = { ...audiences.warehouse, countDistinct };
    const task = refreshAudiences({ ...audiences, warehouse }, soon);
    await task.run(signal);
    expect(await baselines.find(own!)).toBeUndefined();

    await baselines.want(own!);
    await baselines.want(theirs!);
    expect(await task.run(signal)).toMatchObject({ suppliers: 2 });
    expect(await baselines.find(own!)).toEqual({
      supplierDevices: 100,
      audienceDevices: 10,
      attributesDigest: expect.any(String),
      stale: false,
    });
    expect(await baselines.find(theirs!)).toMatchObject({
      supplierDevices: 10,
      audienceDevices: 10,
    });
    expect(await task.run(signal)).toMatchObject({ suppliers: 0 });

    // An attribute that changes during the count is counted again, and the other supplier is not.
    await importRows(first, 110, 115);
    await audiences.warehouse.refreshUniverse(signal);
    expect(await baselines.find(own!)).toMatchObject({ stale: true });
    counted.length = 0;
    meanwhile = async () => {
      meanwhile = async () => {};
      await importRows(second, 100, 105);
      await audiences.warehouse.refreshUniverse(signal);
    };
    expect(await task.run(signal)).toMatchObject({ suppliers: 2 });
    expect(await baselines.find(own!)).toEqual({
      supplierDevices: 110,
      audienceDevices: 20,
      attributesDigest: expect.any(String),
      stale: false,
    });
    expect(counted).toEqual([2, 1, 3, 2, 1, 3]);

    // An audience that changes is counted again, and what nobody asks for is forgotten.
    await acme.clear(tea);
    expect(await task.run(signal)).toMatchObject({ suppliers: 2 });
    expect(await baselines.find(own!)).toMatchObject({ supplierDevices: 110, audienceDevices: 0 });
    expect(await baselines.prune()).toBe(0);
    await sql`update supplier_baseline set wanted_at = now() - interval '25 hours'`.execute(
      audiences.db,
    );
    expect(await baselines.prune()).toBe(2);
  });

  it('keeps what it counted if attributes change meanwhile', async () => {
    const [first] = [...attributes.keys()] as [number];
    await importRows(first, 0, 60);
    const tea = await acme.create(await put(0, 50));
    await audiences.work();
    await importRows(first, 60, 61);
    await audiences.warehouse.refreshUniverse(signal);
    const before = (await acme.composition(tea))!.universeVersion;
    const compare: Warehouse['compare'] = async (sets, parts, stopped) => {
      const counts = await audiences.warehouse.compare(sets, parts, stopped);
      await importRows(first, 61, 62);
      return counts;
    };
    const deps = counting({ ...audiences.warehouse, compare });
    expect(await refreshCompositions(deps, [tea], signal)).toEqual([tea]);
    const after = (await acme.composition(tea))!;
    expect(after.universeVersion).toBeGreaterThan(before);
    expect(after.stale).toBe(true);
  });

  /** An audience whose report is outdated, and a universe that changes before each of its first looks. */
  async function unsettled(changes: number) {
    const [first] = [...attributes.keys()] as [number];
    const tea = await acme.create(await put(0, 50));
    await audiences.work();
    await importRows(first, 0, 10);
    await audiences.warehouse.refreshUniverse(signal);
    const { universe } = audiences.records;
    let looks = 0;
    const state = async () => {
      looks += 1;
      if (looks <= changes) {
        await importRows(first, looks * 10, looks * 10 + 10);
        await audiences.warehouse.refreshUniverse(signal);
      }
      return await universe.state();
    };
    const records = { ...audiences.records, universe: { ...universe, state } };
    return { tea, dependencies: { ...audiences, records }, looks: () => looks };
  }

  it('waits until the universe has settled', async () => {
    const { tea, dependencies, looks } = await unsettled(3);
    const patient = refreshAudiences(dependencies, { ...soon, patienceMs: 600_000 });
    expect(await patient.run(signal)).toEqual({ audiences: 1, suppliers: 0 });
    // Three changes, one look that finds none, and a last one after the refresh.
    expect(looks()).toBeGreaterThanOrEqual(5);
    expect(await acme.composition(tea)).toMatchObject(naive());
  });

  it('does not wait longer than its patience for a universe that never settles', async () => {
    const { tea, dependencies, looks } = await unsettled(Number.POSITIVE_INFINITY);
    const impatient = refreshAudiences(dependencies, { ...soon, patienceMs: 0 });
    expect(await impatient.run(signal)).toEqual({ audiences: 1, suppliers: 0 });
    // One before the refresh, and one after it, which finds the next change.
    expect(looks()).toBe(2);
    expect((await acme.composition(tea))?.stale).toBe(true);
  });

  it('skips a failed audience for a while and updates the others', async () => {
    const [first] = [...attributes.keys()] as [number];
    const tea = await acme.create(await put(0, 50));
    const milk = await acme.create(await put(0, 50));
    await audiences.work();
    await importRows(first, 0, 10);
    await audiences.warehouse.refreshUniverse(signal);
    const { segmentId } = await acme.details(tea);
    const [run] = await audiences.records.manifest.runsOf([segmentId]);
    await rm(join(audiences.warehouseDir, run!.file));
    const task = refreshAudiences(audiences, soon);
    expect(await task.run(signal)).toEqual({ audiences: 1, suppliers: 0 });
    expect(await acme.composition(milk)).toMatchObject(naive());
    expect(await task.run(signal)).toEqual({ audiences: 0, suppliers: 0 });
    expect(await audiences.records.compositions.outdated(10)).toEqual([tea]);
    const impatient = refreshAudiences(audiences, { ...soon, retryMs: 0 });
    await impatient.run(signal);
    await acme.clear(tea);
    expect(await impatient.run(signal)).toEqual({ audiences: 1, suppliers: 0 });
  });

  it('tries an audience that failed alone from then on', async () => {
    const [first] = [...attributes.keys()] as [number];
    const tea = await acme.create(await put(0, 50));
    const others = [await acme.create(await put(0, 50)), await acme.create(await put(0, 50))];
    await audiences.work();
    const ids = new Map<number, number>();
    for (const id of [tea, ...others]) ids.set((await acme.details(id)).segmentId, id);
    const damaged = (await acme.details(tea)).segmentId;
    const passes: (number | undefined)[][] = [];
    const compare: Warehouse['compare'] = (of, parts, stopped) => {
      const segments = of.map((set) => ('segmentId' in set ? set.segmentId : 0));
      passes.push(segments.map((segmentId) => ids.get(segmentId)));
      if (segments.includes(damaged)) return Promise.reject(new Error('unreadable'));
      return audiences.warehouse.compare(of, parts, stopped);
    };
    const warehouse = { ...audiences.warehouse, compare };
    const task = refreshAudiences({ ...audiences, warehouse }, { ...soon, retryMs: 0 });
    await importRows(first, 0, 10);
    await audiences.warehouse.refreshUniverse(signal);
    expect(await task.run(signal)).toEqual({ audiences: 2, suppliers: 0 });
    passes.length = 0;
    await importRows(first, 10, 20);
    await audiences.warehouse.refreshUniverse(signal);
    expect(await task.run(signal)).toEqual({ audiences: 2, suppliers: 0 });
    expect(passes).toEqual([others, [tea]]);
  });

  it('runs in one process at a time and stops on abort', async () => {
    const [first] = [...attributes.keys()] as [number];
    await acme.create(await put(0, 50));
    await audiences.work();
    await importRows(first, 0, 10);
    await audiences.warehouse.refreshUniverse(signal);
    const { compositions } = audiences.records;
    await compositions.refreshExclusively(async () => {
      expect(await refreshAudiences(audiences, soon).run(signal)).toEqual({
        audiences: 0,
        suppliers: 0,
      });
    }, signal);
    const slow = refreshAudiences(audiences, { ...soon, quietMs: 60_000, patienceMs: 120_000 });
    await expect(slow.run(AbortSignal.timeout(200))).rejects.toThrow();
    expect(await refreshAudiences(audiences, soon).run(signal)).toEqual({
      audiences: 1,
      suppliers: 0,
    });
  });
});
