import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatDeviceId, parseDeviceId } from '../../src/domain/device-id.ts';
import type { Run } from '../../src/records/manifest.ts';
import type { Records } from '../../src/records/records.ts';
import type { StagedLoad, Warehouse } from '../../src/warehouse/port.ts';

export interface WarehouseUnderTest extends AsyncDisposable {
  readonly warehouse: Warehouse;
  readonly records: Records;
  /** The devices of a run, in stored order, by a reader that shares no code with the engine. */
  readRun(run: Run): Promise<string[]>;
}

interface Row {
  readonly device: string;
  readonly segmentIds: readonly number[];
}

const { signal } = new AbortController();
const sequences = process.env.TRIBUTARY_SOAK === '1' ? 250 : 25;

/** What every engine behind the port must do. */
export function describeWarehouse(name: string, setup: () => Promise<WarehouseUnderTest>): void {
  describe(`warehouse: ${name}`, () => {
    let under: WarehouseUnderTest;
    let lastJobId = 0;

    beforeAll(async () => {
      under = await setup();
    });
    afterAll(() => under[Symbol.asyncDispose]());

    async function stage(rows: readonly Row[], jobId = ++lastJobId, attempt = 1) {
      const load = under.warehouse.beginLoad({ jobId, attempt });
      const bytes = new Uint8Array(16);
      for (const { device, segmentIds } of rows) {
        parseDeviceId(device, bytes);
        load.add(bytes, segmentIds);
      }
      return await load.stage(signal);
    }

    function commit(staged: StagedLoad): Promise<void> {
      return under.records.inTransaction((records) => records.manifest.add(staged.runs));
    }

    function newSegments(count: number): Promise<number[]> {
      const one = () => under.records.segments.create('attribute');
      return Promise.all(Array.from({ length: count }, one));
    }

    /** What a segment holds; fails unless its runs are sorted, disjoint and rightly counted. */
    async function contentsOf(segmentId: number): Promise<string[]> {
      const contents = new Set<string>();
      let counted = 0;
      for (const run of await under.records.manifest.runsOf([segmentId])) {
        const devices = await under.readRun(run);
        expect(devices).toEqual(devices.toSorted());
        expect(devices).toHaveLength(run.devices);
        counted += run.devices;
        for (const device of devices) contents.add(device);
      }
      expect(contents.size).toBe(counted);
      return [...contents].sort();
    }

    it('is ready', async () => {
      await under.warehouse.checkReady();
    });

    it('holds what was loaded, once, however often it was added', async () => {
      const [segmentId] = await newSegments(1);
      const rows = [3, 1, 2, 1, 3].map((n) => ({ device: device(n), segmentIds: [segmentId!] }));
      const staged = await stage(rows);
      expect(staged).toMatchObject({ uniqueDevices: 3, runs: [{ segmentId, devices: 3 }] });
      await commit(staged);
      expect(await contentsOf(segmentId!)).toEqual([device(1), device(2), device(3)]);
    });

    it('counts the devices of a load over all segments, and those of none', async () => {
      const [first, second] = await newSegments(2);
      const staged = await stage([
        { device: device(1), segmentIds: [first!, second!] },
        { device: device(2), segmentIds: [second!] },
        { device: device(2), segmentIds: [first!, first!] },
        { device: device(3), segmentIds: [] },
      ]);
      expect(staged.uniqueDevices).toBe(3);
      expect(staged.runs.map(({ segmentId, devices }) => [segmentId, devices])).toEqual([
        [first, 2],
        [second, 2],
      ]);
    });

    it('adds only what is new to a segment', async () => {
      const [segmentId] = await newSegments(1);
      const rows = (from: number, to: number, step: number): Row[] => {
        const devices = [];
        for (let n = from; n < to; n += step) devices.push(device(n));
        return devices.map((device) => ({ device, segmentIds: [segmentId!] }));
      };
      await commit(await stage(rows(0, 30_000, 2)));
      await commit(await stage(rows(0, 30_000, 3)));
      const staged = await stage(rows(0, 30_000, 6));
      expect(staged).toEqual({ uniqueDevices: 5_000, runs: [] });
      await commit(staged);
      expect(await contentsOf(segmentId!)).toHaveLength(20_000);
    });

    it('shows nothing of what was staged and never committed', async () => {
      const [segmentId] = await newSegments(1);
      const rows = [{ device: device(1), segmentIds: [segmentId!] }];
      const jobId = ++lastJobId;
      await stage(rows, jobId, 1);
      expect(await contentsOf(segmentId!)).toEqual([]);
      await commit(await stage(rows, jobId, 2));
      expect(await contentsOf(segmentId!)).toEqual([device(1)]);
    });

    it('stops when it is told to', async () => {
      const [segmentId] = await newSegments(1);
      const load = under.warehouse.beginLoad({ jobId: ++lastJobId, attempt: 1 });
      load.add(new Uint8Array(16).fill(1), [segmentId!]);
      await expect(load.stage(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    });

    it('agrees with a map of sets through loads, crashes and retries', async () => {
      const segmentCount = 3;
      const row = fc.record({
        // Few devices, so that loads overlap; their bits lie apart, so that order matters.
        device: fc.integer({ min: 1, max: 60 }).map((n) => device((n * 0x9e37_79b1) >>> 0)),
        segments: fc.uniqueArray(fc.nat(segmentCount - 1)),
      });
      const load = fc.record({
        rows: fc.array(row, { maxLength: 40 }),
        crashes: fc.constantFrom(0, 0, 0, 1, 2),
        givenUp: fc.constantFrom(false, false, false, true),
      });
      const check = fc.asyncProperty(fc.array(load, { maxLength: 6 }), async (loads) => {
        const segmentIds = await newSegments(segmentCount);
        const model = new Map(segmentIds.map((id) => [id, new Set<string>()]));
        for (const { rows, crashes, givenUp } of loads) {
          const jobId = ++lastJobId;
          const loaded = rows.map(({ device, segments }) => ({
            device,
            segmentIds: segments.map((segment) => segmentIds[segment]!),
          }));
          for (let attempt = 1; attempt <= crashes; attempt++) await stage(loaded, jobId, attempt);
          const staged = await stage(loaded, jobId, crashes + 1);
          expect(staged.uniqueDevices).toBe(new Set(rows.map(({ device }) => device)).size);
          if (givenUp) continue;
          await commit(staged);
          for (const { device, segmentIds } of loaded) {
            for (const id of segmentIds) model.get(id)!.add(device);
          }
        }
        for (const [segmentId, devices] of model) {
          expect(await contentsOf(segmentId)).toEqual([...devices].sort());
        }
      });
      await fc.assert(check, { numRuns: sequences });
    }, 300_000);
  });
}

function device(number: number): string {
  const bytes = new Uint8Array(16).fill(0xa7);
  new DataView(bytes.buffer).setUint32(2, number);
  return formatDeviceId(bytes);
}
