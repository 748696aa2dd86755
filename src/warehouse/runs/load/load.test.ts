import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPlace } from '../../../domain/row-batch.ts';
import type { LoadMeaning } from '../../port.ts';
import { type Loading, openLoading } from '../testing/loading.ts';
import { batchOf, type Row, spreadDevice } from '../testing/rows.ts';

const { signal } = new AbortController();
const soak = process.env.TRIBUTARY_SOAK === '1';
const everyRow = 99;
const segmentIds = [10, 11, 12, 13];

type Model = Map<number, Set<string>>;

/** The expected effect of a load, in the simplest terms. */
function applyTo(model: Model, rows: readonly Row[], meaning: LoadMeaning): void {
  const held = (segmentId: number) => model.get(segmentId) ?? new Set<string>();
  const additions = rows.filter(({ removes }) => !removes);
  const named = new Map<number, Set<string>>();
  for (const { device, names } of additions) {
    for (const name of names ?? []) {
      const segmentId = meaning.segmentIds[name]!;
      named.set(segmentId, (named.get(segmentId) ?? new Set()).add(device));
    }
  }
  if (meaning.everyRow !== null && rows.length > 0) {
    named.set(meaning.everyRow, new Set(additions.map(({ device }) => device)));
  }
  for (const { device, names } of rows.filter(({ removes }) => removes)) {
    const from = names === null ? meaning.segmentIds : names.map((n) => meaning.segmentIds[n]!);
    for (const segmentId of from) held(segmentId).delete(device);
  }
  for (const [segmentId, devices] of named) {
    const before = meaning.mode === 'replace' ? new Set<string>() : held(segmentId);
    model.set(segmentId, new Set([...before, ...devices]));
  }
}

async function load(under: Loading, jobId: number, rows: readonly Row[], meaning: LoadMeaning) {
  await using load = under.begin(jobId);
  const batches = Math.ceil(rows.length / 700);
  const adding = Array.from({ length: batches }, (_, i) =>
    load.add(batchOf(rows.slice(i * 700, (i + 1) * 700))),
  );
  await Promise.all(adding);
  return await load.stage(meaning, signal);
}

const row = (devices: fc.Arbitrary<string>, removals: boolean): fc.Arbitrary<Row> => {
  const names = fc.array(fc.nat(segmentIds.length - 1), { maxLength: 4 });
  const adding = fc.record({ device: devices, names });
  const removing = adding.map(({ device, names }) => ({
    device,
    names: names.length > 0 ? names : null,
    removes: true,
  }));
  return removals ? fc.oneof({ weight: 3, arbitrary: adding }, removing) : adding;
};
const spread = fc.nat(400).map(spreadDevice);
const close = fc.nat(400).map((number) => number.toString(16).padStart(32, '7'));

function loadOf(devices: fc.Arbitrary<string>) {
  const rows = (removals: boolean) =>
    fc.array(row(devices, removals), { maxLength: 60 }).chain((some) =>
      // Repeats the same rows: large enough to be split, small enough to shrink.
      fc.constantFrom(1, 1, 40).map((times) => Array.from({ length: times }, () => some).flat()),
    );
  return fc.oneof(
    rows(true).map((rows) => ({ rows, mode: 'merge' as const })),
    rows(false).map((rows) => ({ rows, mode: 'replace' as const })),
  );
}

describe.each([
  ['in one thread', { inline: true, threads: 2, memoryBytes: 64 * 1024 * 1024 }],
  ['in one thread with hardly any memory', { inline: true, threads: 2, memoryBytes: 64 * 1024 }],
  ['in two threads with little memory', { inline: false, threads: 2, memoryBytes: 1024 * 1024 }],
])('loads %s', (_, options) => {
  let under: Loading;
  let lastJobId = 0;

  beforeAll(async () => {
    under = await openLoading(options);
  });
  afterAll(() => under[Symbol.asyncDispose]());

  it.each([
    ['spread devices', spread],
    ['devices with a long common prefix', close],
    ['two devices', fc.constantFrom(spreadDevice(1), spreadDevice(2))],
  ])(
    'agree with sets, load after load: %s',
    async (_, devices) => {
      const loads = fc.array(loadOf(devices), { maxLength: 4 });
      const withEveryRow = fc.boolean();
      const check = fc.asyncProperty(loads, withEveryRow, async (loads, withEveryRow) => {
        under.runs.length = 0;
        const model: Model = new Map();
        for (const { rows, mode } of loads) {
          const meaning = { segmentIds, everyRow: withEveryRow ? everyRow : null, mode };
          const staged = await load(under, ++lastJobId, rows, meaning);
          expect(staged.uniqueDevices).toBe(new Set(rows.map(({ device }) => device)).size);
          under.commit(staged.change);
          applyTo(model, rows, meaning);
          for (const segmentId of [...segmentIds, everyRow]) {
            const expected = [...(model.get(segmentId) ?? [])].sort();
            expect(under.contentsOf(segmentId)).toEqual(expected);
          }
        }
        expect(under.arena.available()).toBe(under.arena.budget);
      });
      await fc.assert(check, { numRuns: soak ? 200 : 8 });
    },
    300_000,
  );

  it.each([
    ['spread', spreadDevice],
    ['descending', (i: number) => (1_000_000 - i).toString(16).padStart(32, '0')],
    ['equal', () => spreadDevice(5)],
    [
      'nested',
      (i: number) => 'f'.repeat(i % 28).padEnd(27, '0') + (i % 9000).toString(16).padStart(5, '0'),
    ],
  ])(
    'accept 50,000 rows of %s devices, and add nothing the second time',
    async (_, device) => {
      under.runs.length = 0;
      const rows = Array.from({ length: 50_000 }, (_, i) => ({
        device: device(i),
        names: i % 3 === 0 ? [i % 4] : [0, i % 4],
      }));
      const meaning = { segmentIds, everyRow, mode: 'merge' as const };
      const staged = await load(under, ++lastJobId, rows, meaning);
      under.commit(staged.change);
      const model: Model = new Map();
      applyTo(model, rows, meaning);
      expect(staged.uniqueDevices).toBe(model.get(everyRow)!.size);
      for (const [segmentId, devices] of model) {
        expect(under.contentsOf(segmentId)).toEqual([...devices].sort());
      }
      const again = await load(under, ++lastJobId, rows, meaning);
      expect(again).toMatchObject({
        uniqueDevices: staged.uniqueDevices,
        change: { add: [], drop: [] },
      });
      expect(under.registered).not.toContain(`job-${lastJobId}-1.parquet`);
    },
    60_000,
  );

  it('leave only their run file behind', async () => {
    const before = await readdir(under.directory);
    const rows = Array.from({ length: 30_000 }, (_, i) => ({
      device: spreadDevice(i),
      names: [0],
    }));
    await load(under, ++lastJobId, rows, { segmentIds, everyRow: null, mode: 'replace' });
    const file = `job-${lastJobId}-1.parquet`;
    expect((await readdir(under.directory)).sort()).toEqual([...before, file].sort());
    expect(under.registered.at(-1)).toBe(file);
    expect(under.arena.available()).toBe(under.arena.budget);
  });
});

describe('a load of many segments', () => {
  it('has larger pieces, so that the sizes of their lists take little memory', async () => {
    await using under = await openLoading({
      threads: 1,
      memoryBytes: 128 * 1024 * 1024,
      inline: true,
    });
    const segments = 10_000;
    const rows = 150_000;
    const wordsPerRow = 5;
    const words = new Uint32Array(new SharedArrayBuffer(rows * wordsPerRow * 4));
    for (let row = 0; row < rows; row++) {
      const at = row * wordsPerRow;
      words[at] = Math.imul(row, 0x9e3779b1);
      words[at + 4] = inPlace | (row % segments);
    }
    let pieces = 0;
    await using load = under.begin(1, (name) => {
      if (name === 'sortParts') pieces++;
    });
    await load.add({ words, rows, numbering: null, release() {} });
    const segmentIds = Array.from({ length: segments }, (_, number) => number + 1);
    const meaning = { segmentIds, everyRow: null, mode: 'merge' } as const;
    const { uniqueDevices, change } = await load.stage(meaning, signal);
    expect([uniqueDevices, change.add.length]).toEqual([rows, segments]);
    // 64 words for each list: 640,000 of 750,000 words in the first piece.
    expect(pieces).toBe(2);
  });
});
