import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LoadMeaning } from '../../src/warehouse/port.ts';
import type { Row } from '../support/row-batches.ts';
import {
  type Bench,
  createBench,
  device,
  signal,
  type WarehouseUnderTest,
} from './warehouse-bench.ts';
import { WarehouseModel } from './warehouse-model.ts';

const soak = process.env.TRIBUTARY_SOAK === '1';
/** On two busy cores, 250 took ClickHouse more than ten minutes. */
const sequences = soak ? 100 : 18;
const attributeCount = 3;
const labelCount = 2;

interface LoadStep {
  readonly rows: readonly Row[];
  readonly mode: 'merge' | 'replace';
  /** The number of attempts that are staged and never committed. */
  readonly crashes: number;
  readonly isAbandoned: boolean;
  /** Maintenance between staging and the commit. */
  readonly meanwhile: 'nothing' | 'compact' | 'sweep' | 'fold';
}

type Step =
  | { readonly kind: 'import' | 'audience'; readonly load: LoadStep }
  | { readonly kind: 'both'; readonly load: LoadStep; readonly other: LoadStep }
  | { readonly kind: 'drop'; readonly segment: number }
  | { readonly kind: 'compact' | 'fold' | 'sweep' };

// Few devices, so that loads overlap, with bits spread so that order matters.
const someDevice = fc.integer({ min: 1, max: 60 }).map((n) => device((n * 0x9e37_79b1) >>> 0));

function adding(segments: number): fc.Arbitrary<Row> {
  return fc.record({ device: someDevice, numbers: fc.uniqueArray(fc.nat(segments - 1)) });
}

const removing: fc.Arbitrary<Row> = adding(attributeCount).map((row) => ({
  ...row,
  isRemoval: true,
}));

function loadStep(
  rows: fc.Arbitrary<readonly Row[]>,
  mode: fc.Arbitrary<'merge' | 'replace'>,
): fc.Arbitrary<LoadStep> {
  return fc.record({
    rows,
    mode,
    crashes: fc.constantFrom(0, 0, 0, 1, 2),
    isAbandoned: fc.constantFrom(false, false, false, true),
    meanwhile: fc.constantFrom('nothing', 'nothing', 'compact', 'sweep', 'fold'),
  });
}

const merged = fc.constant('merge' as const);
const anImport = fc.oneof(
  { weight: 3, arbitrary: loadStep(fc.array(adding(attributeCount), { maxLength: 40 }), merged) },
  {
    weight: 2,
    arbitrary: loadStep(
      fc.array(fc.oneof(adding(attributeCount), removing), { maxLength: 40 }),
      merged,
    ),
  },
  {
    weight: 1,
    arbitrary: loadStep(
      fc.array(adding(attributeCount), { maxLength: 20 }),
      fc.constant('replace' as const),
    ),
  },
);
const ofAudience = loadStep(fc.array(adding(labelCount), { maxLength: 40 }), merged);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('import' as const), load: anImport }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('audience' as const), load: ofAudience }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('both' as const),
      load: anImport,
      other: ofAudience,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('drop' as const),
      segment: fc.nat(attributeCount + labelCount),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('compact' as const, 'fold' as const, 'sweep' as const),
    }),
  },
);

/** Runs random sequences of operations on a warehouse and compares it with sets in memory. */
export function describeSequences(setup: () => Promise<WarehouseUnderTest>): void {
  it(
    'agrees with sets in memory through loads, removals, crashes, retries and maintenance',
    async () => {
      await using under = await setup();
      const bench = createBench(under);
      let world: World | undefined;
      const check = fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        // Each sequence must start with an empty universe, even if the previous one failed.
        if (world) await empty(world);
        world = await newWorld(bench);
        for (const step of steps) {
          await take(step, world);
          await compare(world);
        }
        await refresh(world);
        await compare(world);
        await empty(world);
        await refresh(world);
      });
      await fc.assert(check, { numRuns: sequences });
    },
    soak ? 1_800_000 : 600_000,
  );
}

interface World {
  readonly bench: Bench;
  readonly model: WarehouseModel;
  readonly attributes: readonly number[];
  readonly audience: number;
  readonly labels: readonly number[];
}

async function newWorld(bench: Bench): Promise<World> {
  const { segments } = bench.under.records;
  const create = (count: number, kind: 'attribute' | 'audience' | 'label') =>
    Promise.all(Array.from({ length: count }, () => segments.create(kind)));
  return {
    bench,
    model: new WarehouseModel(),
    attributes: await create(attributeCount, 'attribute'),
    audience: (await create(1, 'audience'))[0]!,
    labels: await create(labelCount, 'label'),
  };
}

async function empty({ bench, model, attributes }: World): Promise<void> {
  for (const segmentId of attributes) {
    await bench.drop(segmentId);
    model.drop(segmentId);
  }
}

async function take(step: Step, world: World): Promise<void> {
  const { bench, model, attributes, audience, labels } = world;
  const { maintenance } = bench.under;
  const importing = (load: LoadStep): [LoadStep, LoadMeaning] => [
    load,
    { segmentIds: attributes, everyRow: null, mode: load.mode },
  ];
  const loading = (load: LoadStep): [LoadStep, LoadMeaning] => [
    load,
    { segmentIds: labels, everyRow: audience, mode: load.mode },
  ];
  switch (step.kind) {
    case 'import':
      return await takeLoad(world, ...importing(step.load));
    case 'audience':
      return await takeLoad(world, ...loading(step.load));
    case 'both':
      await Promise.all([
        takeLoad(world, ...importing(unswept(step.load))),
        takeLoad(world, ...loading(unswept(step.other))),
      ]);
      return;
    case 'drop': {
      const segmentId = [...attributes, audience, ...labels][step.segment]!;
      await bench.drop(segmentId);
      return model.drop(segmentId);
    }
    case 'compact':
      return void (await maintenance.compact());
    case 'sweep':
      return void (await maintenance.sweep());
    case 'fold':
      return await refresh(world);
  }
}

/** These loads have no job record, so a sweep without delay would delete the other's files. */
function unswept(load: LoadStep): LoadStep {
  return load.meanwhile === 'sweep' ? { ...load, meanwhile: 'nothing' } : load;
}

async function takeLoad(
  { bench, model, audience, labels }: World,
  { rows, crashes, isAbandoned, meanwhile }: LoadStep,
  meaning: LoadMeaning,
): Promise<void> {
  const { maintenance, warehouse } = bench.under;
  const jobId = bench.newJob();
  for (let attempt = 1; attempt <= crashes; attempt++) {
    await bench.stage(rows, meaning, { jobId, attempt });
  }
  const staged = await bench.stage(rows, meaning, { jobId, attempt: crashes + 1 });
  expect(staged.uniqueDevices).toBe(new Set(rows.map(({ device }) => device)).size);
  if (meaning.everyRow === audience) {
    // Not the attributes, because a concurrent import may be changing them.
    const own = [audience, ...labels];
    const runs = staged.change.add.filter(({ segmentId }) => segmentId === audience);
    expect(await warehouse.overlap({ staged: runs }, own, signal)).toEqual(
      model.overlap(model.newTo(audience, rows), own),
    );
  }
  if (meanwhile === 'compact') await maintenance.compact();
  if (meanwhile === 'sweep') await maintenance.sweep();
  if (meanwhile === 'fold') await warehouse.refreshUniverse(signal);
  if (isAbandoned) return;
  try {
    await bench.commit(staged);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ManifestConflict') throw error;
    await bench.load(rows, meaning);
  }
  model.load(rows, meaning);
}

/** Brings the universe up to date and compares it with the attributes. */
async function refresh({ bench, model, attributes }: World): Promise<void> {
  const { segmentId } = await bench.under.warehouse.refreshUniverse(signal);
  const [universe] = await bench.contentsOf([segmentId]);
  expect(universe).toEqual([...model.union(attributes)].sort());
}

async function compare({ bench, model, attributes, audience, labels }: World): Promise<void> {
  const { warehouse } = bench.under;
  const all = [...attributes, audience, ...labels];
  const expected = all.map((segmentId) => [...model.devicesOf(segmentId)].sort());
  expect(await bench.contentsOf(all)).toEqual(expected);
  expect(await warehouse.overlap({ segmentId: audience }, all, signal)).toEqual(
    model.overlap(model.devicesOf(audience), all),
  );
  expect(await warehouse.overlap({ segmentId: attributes[0]! }, attributes, signal)).toEqual(
    model.overlap(model.devicesOf(attributes[0]!), attributes),
  );
  for (const some of [attributes, all, labels.slice(0, 1)]) {
    expect(await warehouse.countDistinct(some, signal)).toBe(model.union(some).size);
  }
}
