import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadMeaning, StagedLoad } from '../../port.ts';
import { type Loading, openLoading } from '../testing/loading.ts';
import { batchOf, type Row, spreadDevice } from '../testing/rows.ts';

const { signal } = new AbortController();
const soak = process.env.TRIBUTARY_SOAK === '1';
const segmentIds = [10, 11, 12];
const everyRow = 20;
const known = 30;
const plain = 40;
const digests = 50;

function digestOf(device: string): string {
  return createHash('sha256').update(device).digest('hex').slice(0, 32);
}

describe.each([
  ['in one thread', { inline: true, threads: 2, memoryBytes: 64 * 1024 * 1024 }],
  ['in one thread with hardly any memory', { inline: true, threads: 2, memoryBytes: 64 * 1024 }],
])('a load with suppressed devices %s', (_, options) => {
  let under: Loading;
  let jobs = 0;

  beforeAll(async () => {
    under = await openLoading(options);
  });
  afterAll(() => under[Symbol.asyncDispose]());

  async function stage(rows: readonly Row[], meaning: LoadMeaning): Promise<StagedLoad> {
    await using load = under.begin(++jobs);
    for (let at = 0; at < rows.length; at += 700) {
      await load.add(batchOf(rows.slice(at, at + 700)));
    }
    return await load.stage(meaning, signal);
  }

  async function fill(segmentId: number, devices: readonly string[]): Promise<void> {
    const rows = devices.map((device) => ({ device, names: [0] }));
    const staged = await stage(rows, { segmentIds: [segmentId], everyRow: null, mode: 'merge' });
    under.commit(staged.change);
  }

  function empty(): void {
    under.runs.splice(0);
  }

  it('equals a load of the rows without them', async () => {
    const someDevice = fc.nat(120).map(spreadDevice);
    const names = fc.uniqueArray(fc.nat(segmentIds.length - 1));
    const some = fc.uniqueArray(someDevice, { maxLength: 40 });
    const adding = fc.record({ device: someDevice, names });
    const removing = adding.map(({ device, names }) => ({
      device,
      names: names.length > 0 ? names : null,
      removes: true,
    }));
    const world = fc.record({
      before: fc.array(adding, { maxLength: 30 }),
      rows: fc.array(fc.oneof({ weight: 4, arbitrary: adding }, removing), { maxLength: 80 }),
      listed: some,
      hashed: some,
      known: some,
      isReplaced: fc.boolean(),
      times: fc.constantFrom(1, 30),
    });
    const check = fc.asyncProperty(world, async (given) => {
      const isListed = new Set(given.listed);
      // No stored device has a digest on the list, unless it is listed itself.
      const isKnown = new Set(given.known.filter((device) => !given.hashed.includes(device)));
      const isHashed = new Set(given.hashed);
      const mode = given.isReplaced ? ('replace' as const) : ('merge' as const);
      const all: readonly Row[] = given.rows;
      const rows = all.filter(({ removes }) => !given.isReplaced || !removes);
      const meaning: LoadMeaning = { segmentIds, everyRow, mode };
      const repeated = Array.from({ length: given.times }, () => rows).flat();
      const isLeft = ({ device }: Row) => !isListed.has(device) && !isHashed.has(device);

      async function contents(loaded: readonly Row[], more: Partial<LoadMeaning>) {
        empty();
        await fill(plain, given.listed);
        await fill(digests, given.hashed.map(digestOf));
        await fill(known, [...isKnown]);
        under.commit((await stage(given.before, { segmentIds, everyRow, mode: 'merge' })).change);
        const staged = await stage(loaded, { ...meaning, ...more });
        under.commit(staged.change);
        return { staged, held: [...segmentIds, everyRow].map(under.contentsOf) };
      }

      const suppressed = { plain, digests, known };
      const { staged, held } = await contents(repeated, { suppressed });
      const inRows = new Set(rows.map(({ device }) => device));
      const left = new Set(rows.filter(isLeft).map(({ device }) => device));
      expect(staged.uniqueDevices).toBe(left.size);
      expect(staged.suppressedDevices).toBe(inRows.size - left.size);
      // A replaced segment is replaced even if all its rows were left out.
      const emptied = new Set(rows.flatMap(({ names }) => names ?? []));
      const expected = await contents(repeated.filter(isLeft), {});
      for (const [i, devices] of held.entries()) {
        const isOnlyReplaced =
          given.isReplaced && (i < segmentIds.length ? emptied.has(i) : rows.length > 0);
        const isUnnamed = !rows.some(
          (row) => isLeft(row) && (i === segmentIds.length || row.names?.includes(i)),
        );
        expect(devices).toEqual(isOnlyReplaced && isUnnamed ? [] : expected.held[i]);
      }
    });
    await fc.assert(check, { numRuns: soak ? 300 : 25 });
  });

  it('reads nothing if nothing is suppressed', async () => {
    empty();
    const tasks: string[] = [];
    await using load = under.begin(++jobs, (name) => tasks.push(name));
    await load.add(batchOf([{ device: spreadDevice(1), names: [0] }]));
    const suppressed = { plain, digests, known };
    const meaning = { segmentIds, everyRow: null, mode: 'merge', suppressed } as const;
    expect(await load.stage(meaning, signal)).toMatchObject({ suppressedDevices: 0 });
    expect(tasks).not.toContain('fillDigestTable');
  });

  it('hashes new devices only', async () => {
    empty();
    const [stored, fresh] = [spreadDevice(1), spreadDevice(2)];
    await fill(known, [stored]);
    await fill(digests, [stored, fresh].map(digestOf));
    const rows = [stored, fresh].map((device): Row => ({ device, names: [1] }));
    const suppressed = { plain, digests, known };
    const staged = await stage(rows, { segmentIds, everyRow: null, mode: 'merge', suppressed });
    // What is stored was checked when digests were added, so it is not looked up again.
    expect(staged).toMatchObject({ uniqueDevices: 1, suppressedDevices: 1 });
  });

  it('finds few digests among many devices', async () => {
    empty();
    const devices = Array.from({ length: 20_000 }, (_, i) => spreadDevice(i));
    const hashed = devices.filter((_, i) => i % 500 === 7);
    const others = devices.map((_, i) => spreadDevice(devices.length + i));
    await fill(digests, [...hashed, ...others].map(digestOf));
    const rows = devices.map((device): Row => ({ device, names: [1] }));
    const suppressed = { plain, digests, known: null };
    const staged = await stage(rows, { segmentIds, everyRow: null, mode: 'merge', suppressed });
    under.commit(staged.change);
    expect(staged).toMatchObject({ uniqueDevices: 19_960, suppressedDevices: 40 });
    expect(under.contentsOf(segmentIds[1]!)).toHaveLength(19_960);
  });
});
