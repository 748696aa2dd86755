import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applySuppressions } from '../../src/jobs/privacy/apply-suppressions.ts';
import { changeSuppression } from '../../src/jobs/privacy/change-suppression.ts';
import { mustStartOver } from '../../src/jobs/worker/job-handler.ts';
import {
  commitFiltered,
  type FilteredLoad,
  readSuppression,
} from '../../src/jobs/worker/suppression.ts';
import type { LoadMeaning, StagedLoad } from '../../src/warehouse/port.ts';
import type { Row } from '../support/row-batches.ts';
import { digestOf, packed } from './suppressed-devices.ts';
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
const sequences = soak ? 100 : 10;
const attributeCount = 3;
const labelCount = 2;

interface LoadStep {
  readonly rows: readonly Row[];
  readonly mode: 'merge' | 'replace';
  /** The number of attempts that are staged and never committed. */
  readonly crashes: number;
  readonly isAbandoned: boolean;
  /** Maintenance between staging and the commit. */
  readonly meanwhile: 'nothing' | 'compact' | 'sweep' | 'fold' | 'suppress';
}

type Step =
  | { readonly kind: 'import' | 'audience'; readonly load: LoadStep }
  | { readonly kind: 'both'; readonly load: LoadStep; readonly other: LoadStep }
  | { readonly kind: 'drop'; readonly segment: number }
  | {
      readonly kind: 'suppress';
      readonly listed: readonly string[];
      readonly hashed: readonly string[];
    }
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
    meanwhile: fc.constantFrom('nothing', 'nothing', 'compact', 'sweep', 'fold', 'suppress'),
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
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('suppress' as const),
      listed: fc.uniqueArray(someDevice, { maxLength: 4 }),
      hashed: fc.uniqueArray(someDevice, { maxLength: 4 }),
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
  const lifted = [...model.suppressed];
  model.suppressed.clear();
  const sets = [
    { set: 'devices', words: packed(lifted), isLifted: true },
    { set: 'digests', words: packed(lifted.map(digestOf)), isLifted: true },
  ] as const;
  if (lifted.length > 0) await changeSuppression(bench.under, () => sets, signal);
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
    case 'suppress':
      return await suppress(world, step);
    case 'compact':
      return void (await maintenance.compact());
    case 'sweep':
      return void (await maintenance.sweep());
    case 'fold':
      return await refresh(world);
  }
}

/**
 * These loads have no job record, so a sweep without delay would delete the other's files. Neither does
 * the model know what the other load must leave out.
 */
function unswept(load: LoadStep): LoadStep {
  const isQuiet = load.meanwhile === 'sweep' || load.meanwhile === 'suppress';
  return isQuiet ? { ...load, meanwhile: 'nothing' } : load;
}

async function suppress(
  { bench, model }: World,
  { listed, hashed }: Pick<Step & { kind: 'suppress' }, 'listed' | 'hashed'>,
): Promise<void> {
  const sets = [
    { set: 'devices', words: packed(listed) },
    { set: 'digests', words: packed(hashed.map(digestOf)) },
  ] as const;
  await changeSuppression(bench.under, () => sets, signal);
  expect(await applySuppressions(bench.under).run(signal)).toMatchObject({ incomplete: 0 });
  model.suppress([...listed, ...hashed]);
}

async function takeLoad(world: World, step: LoadStep, meaning: LoadMeaning): Promise<void> {
  const { bench, model } = world;
  const { rows, crashes, isAbandoned } = step;
  const { records } = bench.under;
  const jobId = bench.newJob();

  async function stage(attempt: number): Promise<FilteredLoad> {
    const view = await readSuppression(records);
    const { suppressed } = view;
    const staged = await bench.stage(rows, { ...meaning, suppressed }, { jobId, attempt });
    return { ...staged, view, isExempt: false };
  }

  for (let attempt = 1; attempt <= crashes; attempt++) await stage(attempt);
  for (let attempt = crashes + 1; ; attempt++) {
    const staged = await stage(attempt);
    if (attempt === crashes + 1) {
      await checkStaged(world, rows, meaning, staged);
      await doMeanwhile(world, step);
    }
    if (isAbandoned) return;
    try {
      await commitFiltered(
        bench.under,
        staged,
        [],
        (tx) => tx.manifest.apply(staged.change),
        signal,
      );
      return model.load(rows, meaning);
    } catch (error) {
      if (!mustStartOver(error)) throw error;
    }
  }
}

async function checkStaged(
  { bench, model, audience, labels }: World,
  rows: readonly Row[],
  meaning: LoadMeaning,
  staged: StagedLoad,
): Promise<void> {
  expect(staged.uniqueDevices).toBe(model.loaded(rows));
  if (meaning.everyRow !== audience) return;
  // Not the attributes, because a concurrent import may be changing them.
  const own = [audience, ...labels];
  const runs = staged.change.add.filter(({ segmentId }) => segmentId === audience);
  expect(await bench.under.warehouse.overlap({ staged: runs }, own, signal)).toEqual(
    model.overlap(model.newTo(audience, rows), own),
  );
}

async function doMeanwhile(world: World, { rows, meanwhile }: LoadStep): Promise<void> {
  const { maintenance, warehouse } = world.bench.under;
  if (meanwhile === 'compact') await maintenance.compact();
  if (meanwhile === 'sweep') await maintenance.sweep();
  if (meanwhile === 'fold') await warehouse.refreshUniverse(signal);
  if (meanwhile === 'suppress') {
    const [listed, hashed] = [rows.slice(0, 1), rows.slice(1, 3)].map((some) =>
      some.map(({ device }) => device),
    );
    await suppress(world, { listed: listed!, hashed: hashed! });
  }
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
  const sets = [audience, attributes[0]!, audience].map((segmentId) => ({ segmentId }));
  const parts = all.map((segmentId) => ({ segmentId }));
  const overlaps = sets.map(({ segmentId }) => model.overlap(model.devicesOf(segmentId), all));
  expect(await warehouse.compare(sets, parts, signal)).toMatchObject(
    parts.map((_, part) => ({ devices: overlaps.map((counts) => counts[part]) })),
  );
  for (const some of [attributes, all, labels.slice(0, 1)]) {
    expect(await warehouse.countDistinct(some, signal)).toBe(model.union(some).size);
  }
}
