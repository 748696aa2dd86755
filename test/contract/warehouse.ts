import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Row, rowBatch } from '../support/row-batches.ts';
import {
  type Bench,
  createBench,
  device,
  merging,
  signal,
  type WarehouseUnderTest,
} from './warehouse-bench.ts';
import { describeSequences } from './warehouse-sequences.ts';
import { describeSuppression } from './warehouse-suppression.ts';

/** The behaviour that every engine behind the port must have. */
export function describeWarehouse(name: string, setup: () => Promise<WarehouseUnderTest>): void {
  describe(`warehouse: ${name}`, () => {
    let bench: Bench;

    beforeAll(async () => {
      bench = createBench(await setup());
    });
    afterAll(() => bench.under[Symbol.asyncDispose]());

    function newSegments(count: number): Promise<number[]> {
      const one = () => bench.under.records.segments.create('attribute');
      return Promise.all(Array.from({ length: count }, one));
    }

    async function holds(segmentId: number): Promise<string[]> {
      return (await bench.contentsOf([segmentId]))[0]!;
    }

    it('is ready', async () => {
      await bench.under.warehouse.checkReady();
    });

    it('holds each loaded device once, however often it was added', async () => {
      const [segmentId] = await newSegments(1);
      const rows = [3, 1, 2, 1, 3].map((n) => ({ device: device(n), numbers: [0] }));
      const staged = await bench.stage(rows, merging(segmentId!));
      expect(staged).toMatchObject({
        uniqueDevices: 3,
        change: { add: [{ segmentId, devices: 3 }], drop: [] },
      });
      await bench.commit(staged);
      expect(await holds(segmentId!)).toEqual([device(1), device(2), device(3)]);
    });

    it('counts the devices of a load over all segments, including rows without a segment', async () => {
      const [first, second] = await newSegments(2);
      const staged = await bench.stage(
        [
          { device: device(1), numbers: [0, 1] },
          { device: device(2), numbers: [1] },
          { device: device(2), numbers: [0, 0] },
          { device: device(3), numbers: [] },
        ],
        merging(first!, second!),
      );
      expect(staged.uniqueDevices).toBe(3);
      const added = staged.change.add.map(({ segmentId, devices }) => [segmentId, devices]);
      expect(new Map(added as [number, number][])).toEqual(
        new Map([
          [first, 2],
          [second, 2],
        ]),
      );
    });

    it('adds only new devices to a segment', async () => {
      const [segmentId] = await newSegments(1);
      const everyNth = (step: number): Row[] => {
        const count = Math.ceil(30_000 / step);
        return Array.from({ length: count }, (_, i) => ({
          device: device(i * step),
          numbers: [0],
        }));
      };
      await bench.load(everyNth(2), merging(segmentId!));
      await bench.load(everyNth(3), merging(segmentId!));
      const staged = await bench.load(everyNth(6), merging(segmentId!));
      expect(staged).toMatchObject({ uniqueDevices: 5_000, change: { add: [], drop: [] } });
      expect(await holds(segmentId!)).toHaveLength(20_000);
    });

    it('removes devices from the segments that a row names, or from all if it names none', async () => {
      const [first, second] = await newSegments(2);
      const rows = [1, 2, 3, 4].map((n) => ({ device: device(n), numbers: [0, 1] }));
      await bench.load(rows, merging(first!, second!));
      await bench.load(
        [
          { device: device(1), numbers: [], isRemoval: true },
          { device: device(2), numbers: [1], isRemoval: true },
          { device: device(3), numbers: [], isRemoval: true },
          { device: device(3), numbers: [0] },
          { device: device(9), numbers: [], isRemoval: true },
        ],
        merging(first!, second!),
      );
      expect(await holds(first!)).toEqual([device(2), device(3), device(4)]);
      expect(await holds(second!)).toEqual([device(4)]);
    });

    it('does not show a staged load that was never committed', async () => {
      const [segmentId] = await newSegments(1);
      const rows = [{ device: device(1), numbers: [0] }];
      const jobId = bench.newJob();
      await bench.stage(rows, merging(segmentId!), { jobId, attempt: 1 });
      expect(await holds(segmentId!)).toEqual([]);
      await bench.commit(await bench.stage(rows, merging(segmentId!), { jobId, attempt: 2 }));
      expect(await holds(segmentId!)).toEqual([device(1)]);
    });

    it('includes staged runs in a set before they are committed', async () => {
      const [attribute] = await newSegments(1);
      const audience = await bench.under.records.segments.create('audience');
      const meaning = { segmentIds: [], everyRow: audience, mode: 'merge' } as const;
      const rows = (...numbers: number[]) =>
        numbers.map((n) => ({ device: device(n), numbers: [] as number[] }));
      await bench.load(
        [1, 2, 3, 4].map((n) => ({ device: device(n), numbers: [0] })),
        merging(attribute!),
      );
      await bench.load(rows(1, 2, 9), meaning);
      const { change } = await bench.stage(rows(2, 3, 8), meaning);
      const overlapOf = (staged?: typeof change.add) =>
        bench.under.warehouse.overlap(
          { segmentId: audience, ...(staged ? { staged } : {}) },
          [attribute!, audience],
          signal,
        );
      expect(await overlapOf()).toEqual([2, 3]);
      expect(await overlapOf(change.add)).toEqual([3, 3]);
    });

    it('accepts staged runs alone as a set', async () => {
      const [attribute, other] = await newSegments(2);
      const named = (...numbers: number[]) =>
        numbers.map((n) => ({ device: device(n), numbers: [0] }));
      await bench.load(named(1, 2, 3, 4), merging(attribute!));
      await bench.load(named(1, 2, 9), merging(other!));
      const { change } = await bench.stage(named(2, 3, 4, 8), merging(other!));
      const { warehouse } = bench.under;
      const overlapOf = (staged: typeof change.add) =>
        warehouse.overlap({ staged }, [attribute!, other!], signal);
      expect(await overlapOf(change.add)).toEqual([2, 0]);
      expect(await overlapOf([])).toEqual([0, 0]);
    });

    it('counts zero for empty segments, and for no segments', async () => {
      const [empty, other] = await newSegments(2);
      const { warehouse } = bench.under;
      expect(await warehouse.overlap({ segmentId: empty! }, [other!, empty!], signal)).toEqual([
        0, 0,
      ]);
      expect(await warehouse.overlap({ segmentId: empty! }, [], signal)).toEqual([]);
      expect(await warehouse.countDistinct([], signal)).toBe(0);
      expect(await warehouse.countDistinct([empty!, other!], signal)).toBe(0);
    });

    it('stops when aborted', async () => {
      const [one, other] = await newSegments(2);
      await bench.load([{ device: device(1), numbers: [0, 1] }], merging(one!, other!));
      const stopped = AbortSignal.abort(new Error('stopped'));
      const { warehouse } = bench.under;
      await using load = warehouse.beginLoad({ jobId: bench.newJob(), attempt: 1 });
      await load.add(rowBatch([{ device: device(2), numbers: [0] }]));
      await expect(load.stage(merging(one!), stopped)).rejects.toThrow('stopped');
      await expect(warehouse.overlap({ segmentId: one! }, [other!], stopped)).rejects.toThrow(
        'stopped',
      );
      await expect(warehouse.countDistinct([one!, other!], stopped)).rejects.toThrow('stopped');
      await expect(warehouse.refreshUniverse(stopped)).rejects.toThrow('stopped');
    });

    describeSuppression(setup);
    describeSequences(setup);
  });
}
