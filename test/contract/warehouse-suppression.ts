import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applySuppressions } from '../../src/jobs/privacy/apply-suppressions.ts';
import { changeSuppression } from '../../src/jobs/privacy/change-suppression.ts';
import { readSuppression } from '../../src/jobs/worker/suppression.ts';
import type { LoadMeaning } from '../../src/warehouse/port.ts';
import { digestOf, idsOf, packed } from './suppressed-devices.ts';
import {
  type Bench,
  createBench,
  device,
  merging,
  signal,
  type WarehouseUnderTest,
} from './warehouse-bench.ts';

/** Suppressed devices, which every engine must leave out and remove. */
export function describeSuppression(setup: () => Promise<WarehouseUnderTest>): void {
  describe('suppressed devices', () => {
    let bench: Bench;

    beforeAll(async () => {
      bench = createBench(await setup());
    });
    afterAll(() => bench.under[Symbol.asyncDispose]());

    const rows = (from: number, to: number, numbers: number[] = [0]) =>
      Array.from({ length: to - from }, (_, i) => ({ device: device(from + i), numbers }));
    const devices = (from: number, to: number) => rows(from, to).map((row) => row.device);

    async function suppress(listed: readonly string[], hashed: readonly string[] = []) {
      await changeSuppression(
        bench.under,
        () => [
          { set: 'devices', words: packed(listed) },
          { set: 'digests', words: packed(hashed.map(digestOf)) },
        ],
        signal,
      );
    }

    async function filtered(meaning: LoadMeaning): Promise<LoadMeaning> {
      const { suppressed } = await readSuppression(bench.under.records);
      return { ...meaning, suppressed };
    }

    function apply() {
      const { warehouse, records } = bench.under;
      return applySuppressions({ records, warehouse }).run(signal);
    }

    it('are left out of loads, whether their identifiers or only their digests are known', async () => {
      const { records } = bench.under;
      const [segmentId, audience] = [
        await records.segments.create('attribute'),
        await records.segments.create('audience'),
      ];
      await suppress(devices(100, 103), devices(103, 105));
      const staged = await bench.stage(
        rows(98, 110),
        await filtered({ segmentIds: [segmentId], everyRow: audience, mode: 'merge' }),
      );
      expect(staged).toMatchObject({ uniqueDevices: 7, suppressedDevices: 5 });
      await bench.commit(staged);
      const left = [...devices(98, 100), ...devices(105, 110)];
      const { digests } = await records.suppression.state();
      expect(await bench.contentsOf([segmentId, audience, digests.segmentId])).toEqual([
        left,
        left,
        devices(100, 105).map(digestOf).sort(),
      ]);
    });

    it('leave a replaced segment empty if it gets no other device', async () => {
      const [segmentId] = [await bench.under.records.segments.create('attribute')];
      await bench.load(rows(200, 203), merging(segmentId));
      await suppress(devices(210, 212));
      const staged = await bench.stage(
        rows(210, 212),
        await filtered({ segmentIds: [segmentId], everyRow: null, mode: 'replace' }),
      );
      await bench.commit(staged);
      expect(await bench.contentsOf([segmentId])).toEqual([[]]);
    });

    it('are found among given devices', async () => {
      const { warehouse, records } = bench.under;
      await suppress(devices(300, 302), devices(302, 304));
      const { suppressed } = await readSuppression(records);
      const given = packed([...devices(299, 306).toReversed(), device(301)]);
      const found = await warehouse.findSuppressed(given, suppressed!, signal);
      expect(idsOf(found)).toEqual(devices(300, 304));
      const none = await warehouse.findSuppressed(packed(devices(305, 306)), suppressed!, signal);
      expect(none).toHaveLength(0);
    });

    it('are removed from everything, also from what was not folded yet, and are counted', async () => {
      const { warehouse, records } = bench.under;
      const kinds = ['attribute', 'attribute', 'audience', 'label'] as const;
      const [first, second, audience, label] = await Promise.all(
        kinds.map((kind) => records.segments.create(kind)),
      );
      await bench.load(rows(400, 420), merging(first!));
      await warehouse.refreshUniverse(signal);
      await bench.load(rows(410, 430), merging(second!));
      const ofAudience = { segmentIds: [label!], everyRow: audience!, mode: 'merge' } as const;
      await bench.load([...rows(415, 440), ...rows(440, 445, [])], ofAudience);
      await suppress(devices(400, 402), [...devices(416, 418), device(442), device(999)]);
      const done = await apply();
      // Two of the first, two of both attributes, the audience and the label, and one of the audience.
      expect(done).toMatchObject({ found: 3, incomplete: 0 });
      const isLeft = (id: string) =>
        ![...devices(400, 402), ...devices(416, 418), device(442)].includes(id);
      const expected = [
        devices(400, 420).filter(isLeft),
        devices(410, 430).filter(isLeft),
        devices(415, 445).filter(isLeft),
        devices(415, 440).filter(isLeft),
      ];
      const all = [first!, second!, audience!, label!];
      expect(await bench.contentsOf(all)).toEqual(expected);
      const { segmentId: universe } = await warehouse.refreshUniverse(signal);
      const [inUniverse] = await bench.contentsOf([universe]);
      expect(inUniverse!.filter((id) => !isLeft(id))).toEqual([]);
      expect(inUniverse).toEqual(expect.arrayContaining(devices(400, 430).filter(isLeft)));
      const state = await records.suppression.state();
      expect(state.plain.devices).toBe(0);
      expect(state.appliedVersion).toBe(state.plain.version);
      expect(state.resolvedVersion).toBe(state.digests.version);
      const matched = [...devices(416, 418), device(442)].map(digestOf);
      expect(await bench.contentsOf([state.matchedSegmentId])).toEqual([matched.sort()]);
      expect(await apply()).toEqual({ found: 0, memberships: 0, reports: 0, incomplete: 0 });
    });

    it('are removed from a run that was replaced while they were looked for', async () => {
      const { warehouse, records, maintenance } = bench.under;
      const [segmentId] = [await records.segments.create('attribute')];
      for (let from = 500; from < 520; from += 5) {
        await bench.load(rows(from, from + 5), merging(segmentId));
      }
      await warehouse.refreshUniverse(signal);
      await suppress(devices(507, 509));
      let compacted = false;
      const inTransaction: typeof records.inTransaction = async (work) => {
        if (!compacted) {
          compacted = true;
          await maintenance.compact();
        }
        return records.inTransaction(work);
      };
      await using other = await bench.under.reopen({ ...records, inTransaction });
      const { plain, appliedVersion } = await records.suppression.state();
      const part = { segmentId: plain.segmentId, since: appliedVersion };
      const subtracted = await other.subtract(part, signal);
      expect(subtracted.conflicts).toBeGreaterThan(0);
      expect(await bench.contentsOf([segmentId])).toEqual([
        [...devices(500, 507), ...devices(509, 520)],
      ]);
    });

    it('are found in staged runs if they were suppressed since', async () => {
      const { warehouse, records } = bench.under;
      const [first, second] = [
        await records.segments.create('attribute'),
        await records.segments.create('attribute'),
      ];
      await suppress(devices(550, 552));
      const { change } = await bench.stage(rows(550, 570, [0, 1]), merging(first, second));
      const { plain, digests } = await records.suppression.state();
      const since = {
        plain: { segmentId: plain.segmentId, since: plain.version },
        digests: { segmentId: digests.segmentId, since: digests.version },
      };
      const check = () => warehouse.checkSuppressed(change.add, since, signal);
      expect(await check()).toEqual({
        versions: { plain: plain.version, digests: digests.version },
        isAny: false,
      });
      await suppress([], [device(999_550)]);
      expect(await check()).toMatchObject({ isAny: false });
      await suppress([device(555)], [device(556)]);
      const now = await records.suppression.state();
      expect(await check()).toEqual({
        versions: { plain: now.plain.version, digests: now.digests.version },
        isAny: true,
      });
      const onlyDigests = {
        ...since,
        plain: { segmentId: plain.segmentId, since: now.plain.version },
      };
      const checked = await warehouse.checkSuppressed(change.add, onlyDigests, signal);
      expect(checked.isAny).toBe(true);
    });

    it('can be lifted', async () => {
      const { records } = bench.under;
      await suppress([device(600)], [device(601)]);
      await changeSuppression(
        bench.under,
        () => [
          { set: 'devices', words: packed([device(600)]), isLifted: true },
          { set: 'digests', words: packed([digestOf(device(601))]), isLifted: true },
        ],
        signal,
      );
      const [segmentId] = [await records.segments.create('attribute')];
      const staged = await bench.stage(rows(600, 602), await filtered(merging(segmentId)));
      expect(staged).toMatchObject({ uniqueDevices: 2, suppressedDevices: 0 });
    });
  });

  describe('an intersection', () => {
    it('has the devices of a set that each segment holds', async () => {
      await using under = await setup();
      const bench = createBench(under);
      const { warehouse, records } = under;
      const [one, two, three] = await Promise.all(
        [1, 2, 3].map(() => records.segments.create('attribute')),
      );
      const rows = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, i) => ({ device: device(from + i), numbers: [0] }));
      await bench.load(rows(0, 6_000), merging(one!));
      await bench.load(rows(5_000, 5_003), merging(two!));
      await bench.load(rows(5_001, 5_010), merging(two!));
      await bench.load(rows(9_000, 9_001), merging(three!));
      async function shared(of: Parameters<typeof warehouse.intersect>[0]) {
        const found = new Map<number, string[]>();
        const runIds = new Set<number>();
        for await (const held of warehouse.intersect(of, [one!, two!, three!], signal)) {
          const { segmentId, runId, devices } = held;
          const ownRuns = await records.manifest.runsOf([segmentId]);
          expect(ownRuns.map((run) => run.runId)).toContain(runId);
          expect(runIds.has(runId)).toBe(false);
          runIds.add(runId);
          found.set(segmentId, [...(found.get(segmentId) ?? []), ...idsOf(devices)].sort());
        }
        return [...found];
      }
      const inTwo = rows(5_000, 5_010).map((row) => row.device);
      expect(await shared({ segmentId: two! })).toEqual([
        [one, inTwo],
        [two, inTwo],
      ]);
      const { change } = await bench.stage(rows(5_009, 5_011), merging(three!));
      expect(await shared({ staged: change.add })).toEqual([
        [one, [device(5_009), device(5_010)]],
        [two, [device(5_009)]],
      ]);
      expect(await shared({ staged: [] })).toEqual([]);
      const read = await Array.fromAsync(warehouse.read({ segmentId: two! }, signal), idsOf);
      expect(read.flat()).toEqual(inTwo);
      const staged = await Array.fromAsync(warehouse.read({ staged: change.add }, signal), idsOf);
      expect(staged.flat()).toEqual([device(5_009), device(5_010)]);
    });
  });
}
