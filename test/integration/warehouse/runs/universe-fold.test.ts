import { open, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noReserve } from '../../../../src/domain/disk-reserve.ts';
import type { Run } from '../../../../src/records/warehouse/manifest.ts';
import type { UniverseRecord } from '../../../../src/records/warehouse/universe.ts';
import { createUniverseFold } from '../../../../src/warehouse/runs/universe-fold.ts';
import {
  openWarehouseWorld,
  range,
  type WarehouseWorld,
} from '../../../support/warehouse-world.ts';

const { signal } = new AbortController();
let world: WarehouseWorld;
let universe: number;

beforeEach(async () => {
  world = await openWarehouseWorld();
  universe = (await world.records.universe.state()).segmentId;
});
afterEach(() => world[Symbol.asyncDispose]());

async function newAttributes(): Promise<[number, number]> {
  return [await world.newSegment('attribute'), await world.newSegment('attribute')];
}

function refresh() {
  return world.verbs.refreshUniverse(signal);
}

/** A fold that calls `happens` at one of its steps in the first attempt. */
async function refreshWhile(
  step: 'pending' | 'commit',
  happens: () => Promise<unknown>,
): Promise<number> {
  const { records, directory } = world;
  let attempts = 0;
  const watched: UniverseRecord = {
    ...records.universe,
    async pending() {
      const pending = await records.universe.pending();
      if (++attempts === 1 && step === 'pending') await happens();
      return pending;
    },
    async commit(...args) {
      if (attempts === 1 && step === 'commit') await happens();
      return records.universe.commit(...args);
    },
  };
  const sets = world.newSets();
  await createUniverseFold({
    ...records,
    directory,
    universe: watched,
    sets,
    reserve: noReserve,
  })(signal);
  return attempts;
}

describe('refreshUniverse', () => {
  it('adds new devices of attributes, and writes nothing if there are none', async () => {
    const [one, other] = await newAttributes();
    await world.add(one, range(0, 6_000));
    await world.add(other, range(3_000, 9_000));
    expect(await refresh()).toEqual({ segmentId: universe, version: 1, folded: 2 });
    expect(await world.numbersOf(universe)).toEqual(range(0, 9_000));
    const files = await world.files();
    expect(await refresh()).toEqual({ segmentId: universe, version: 1, folded: 0 });
    expect(await world.files()).toEqual(files);

    await world.add(one, range(8_000, 9_500));
    expect(await refresh()).toMatchObject({ version: 2, folded: 1 });
    expect(await world.numbersOf(universe)).toEqual(range(0, 9_500));
    expect((await world.runsOf(universe)).map(({ devices }) => devices)).toEqual([9_000, 500]);
  });

  it('raises the version and keeps the runs when it already has all added devices', async () => {
    const [one, other] = await newAttributes();
    await world.add(one, range(0, 10));
    await refresh();
    await world.add(other, range(2, 5));
    const runs = await world.runsOf(universe);
    expect(await refresh()).toMatchObject({ version: 2, folded: 1 });
    expect(await world.records.universe.state()).toMatchObject({ version: 2, backlog: 0 });
    expect(await world.runsOf(universe)).toEqual(runs);
    expect(await refresh()).toMatchObject({ version: 2, folded: 0 });
  });

  it('ignores audiences and labels', async () => {
    await world.add(await world.newSegment('audience'), [1]);
    await world.add(await world.newSegment('label'), [2]);
    expect(await refresh()).toMatchObject({ version: 0, folded: 0 });
    expect(await world.numbersOf(universe)).toEqual([]);
  });

  it('removes a device when no attribute holds it any more', async () => {
    const [one, other] = await newAttributes();
    await world.add(one, range(0, 5_000));
    await refresh();
    await world.add(other, range(4_000, 6_000));
    await refresh();
    const [first, second] = await world.runsOf(universe);
    await world.drop(...(await world.runsOf(one)));
    expect(await refresh()).toMatchObject({ version: 3, folded: 1 });
    expect(await world.numbersOf(universe)).toEqual(range(4_000, 6_000));
    const left = await world.runsOf(universe);
    expect(left).toContainEqual(second);
    expect(left).not.toContainEqual(first);
    await world.drop(...(await world.runsOf(other)));
    await refresh();
    expect(await world.runsOf(universe)).toEqual([]);
  });

  it('ignores a run that was added and dropped between two folds', async () => {
    const one = await world.newSegment('attribute');
    await world.add(one, range(0, 10));
    await world.drop(...(await world.runsOf(one)));
    expect(await refresh()).toMatchObject({ version: 1, folded: 2 });
    expect(await world.runsOf(universe)).toEqual([]);
  });
});

describe('concurrent folds', () => {
  it('write one run for all callers', async () => {
    const one = await world.newSegment('attribute');
    await world.add(one, [1, 2]);
    const answers = await Promise.all([refresh(), refresh(), refresh(), refresh()]);
    expect(answers.map(({ version }) => version)).toEqual([1, 1, 1, 1]);
    expect(await world.runsOf(universe)).toHaveLength(1);
  });

  it('run in one process at a time', async () => {
    const one = await world.newSegment('attribute');
    await world.add(one, range(0, 100));
    const others = world.moreVerbs();
    await Promise.all([refresh(), others.refreshUniverse(signal)]);
    expect(await world.records.universe.state()).toMatchObject({ version: 1, backlog: 0 });
    expect(await world.numbersOf(universe)).toEqual(range(0, 100));
  });

  it('let a waiting caller abort', async () => {
    await world.add(await world.newSegment('attribute'), [1]);
    const stopping = new AbortController();
    const attempts = await refreshWhile('commit', async () => {
      const waiting = world.verbs.refreshUniverse(stopping.signal);
      const outcome = expect(waiting).rejects.toThrow('stopped');
      stopping.abort(new Error('stopped'));
      await outcome;
    });
    expect(attempts).toBe(1);
    expect(await world.numbersOf(universe)).toEqual([1]);
  });
});

describe('a change during a fold', () => {
  it('is left to the next fold if an attribute is cleared', async () => {
    const one = await world.newSegment('attribute');
    await world.add(one, range(0, 10));
    const attempts = await refreshWhile('pending', async () => {
      await world.drop(...(await world.runsOf(one)));
    });
    expect(attempts).toBe(1);
    expect(await world.numbersOf(universe)).toEqual(range(0, 10));
    await refresh();
    expect(await world.numbersOf(universe)).toEqual([]);
  });

  it('makes it start over if its own runs were replaced', async () => {
    const one = await world.newSegment('attribute');
    for (const number of range(0, 12)) {
      await world.add(one, [number, 100 + number]);
      await refresh();
    }
    const runs = await world.runsOf(one);
    await world.drop(...runs.slice(0, 2));
    const attempts = await refreshWhile('commit', () =>
      world.verbs.compact({ rewriteAfterSeconds: 3600 }, signal),
    );
    expect(attempts).toBe(2);
    expect(await world.numbersOf(universe)).toEqual([...range(2, 12), ...range(102, 112)]);
  });

  it('makes it start over if its file was swept before the commit', async () => {
    await world.add(await world.newSegment('attribute'), [1, 2, 3]);
    const attempts = await refreshWhile('commit', () => world.verbs.sweep(0));
    expect(attempts).toBe(2);
    expect(await world.numbersOf(universe)).toEqual([1, 2, 3]);
  });

  it('makes it start over if another process folded, lock or not', async () => {
    await world.add(await world.newSegment('attribute'), [1, 2, 3]);
    const attempts = await refreshWhile('commit', async () => {
      const pending = await world.records.universe.pending();
      const add = await world.stage(new Map([[universe, [1, 2, 3]]]));
      await world.records.universe.commit(pending, { add, drop: [] });
    });
    expect(attempts).toBe(2);
    expect(await world.numbersOf(universe)).toEqual([1, 2, 3]);
    const { rows } = await sql`select * from universe_change`.execute(world.db);
    expect(rows).toEqual([]);
  });
});

describe('a damaged run of an attribute', () => {
  async function damage({ file }: { file: string }, at: number): Promise<void> {
    await using handle = await open(join(world.directory, file), 'r+');
    await handle.write('damaged!', at);
  }

  it.each([
    ['a page', (run: Run) => damage(run, 60)],
    ['its footer', (run: Run) => truncate(join(world.directory, run.file), 100)],
    ['all of it', (run: Run) => rm(join(world.directory, run.file))],
  ])('takes its devices with it when it is dropped after losing %s', async (_, lose) => {
    const [damaged, whole] = await newAttributes();
    await world.add(damaged, range(0, 10));
    await world.add(whole, range(5, 15));
    await refresh();
    const [run] = await world.runsOf(damaged);
    await lose(run!);
    await world.drop(run!);
    await refresh();
    expect(await world.numbersOf(universe)).toEqual(range(5, 15));
  });
});
