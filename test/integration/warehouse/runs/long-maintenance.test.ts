import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noReserve } from '../../../../src/domain/disk-reserve.ts';
import { createCompaction } from '../../../../src/warehouse/runs/compact.ts';
import type { Gathered } from '../../../../src/warehouse/runs/sets/gather-range.ts';
import type { GatherRequest, Sets } from '../../../../src/warehouse/runs/sets/sets.ts';
import { createUniverseFold } from '../../../../src/warehouse/runs/universe-fold.ts';
import {
  openWarehouseWorld,
  range,
  type WarehouseWorld,
} from '../../../support/warehouse-world.ts';

const { signal } = new AbortController();
const hour = 3_600;
let world: WarehouseWorld;

beforeEach(async () => {
  world = await openWarehouseWorld();
});
afterEach(async () => {
  vi.useRealTimers();
  await world[Symbol.asyncDispose]();
});

/** Registered files that have not been renewed for more than half an hour. */
async function staleFiles(): Promise<string[]> {
  const { rows } = await sql<{ file: string }>`
    select file from run_file where created_at < now() - interval '30 minutes' and dropped_at is null
      and not exists (select from run where run.file = run_file.file)
  `.execute(world.db);
  return rows.map(({ file }) => file);
}

/** Makes every file look as if nothing was written to it for two hours. */
async function letTwoHoursPass(): Promise<void> {
  await sql`update run_file set created_at = created_at - interval '2 hours'`.execute(world.db);
  const then = new Date(Date.now() - 2 * hour * 1_000);
  for (const file of await readdir(world.directory)) {
    await utimes(join(world.directory, file), then, then);
  }
}

/** Two hours in which maintenance writes nothing; its timers run meanwhile. */
async function workForTwoHours(): Promise<void> {
  await letTwoHoursPass();
  await vi.advanceTimersByTimeAsync(60_000);
  // The timers do not wait for the database.
  await expect.poll(staleFiles).toEqual([]);
}

/** Sets whose gathers take two hours before the devices of `isLong` requests, with a sweep after. */
function slowSets(isLong: (request: GatherRequest) => boolean): Sets & { swept: object[] } {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const sets = world.newSets();
  const swept: object[] = [];
  async function* gather(request: GatherRequest, stop: AbortSignal): AsyncGenerator<Gathered> {
    if (isLong(request)) {
      await workForTwoHours();
      swept.push(await world.verbs.sweep(hour));
    }
    yield* sets.gather(request, stop);
  }
  return { ...sets, gather, swept };
}

it('keeps the files of a fold that writes nothing for longer than the grace period', async () => {
  const { records, directory } = world;
  const { universe, runFiles } = records;
  const [one, other] = [await world.newSegment('attribute'), await world.newSegment('attribute')];
  await world.add(one, range(0, 100));
  await world.verbs.refreshUniverse(signal);
  await world.drop(...(await world.runsOf(one)));
  await world.add(other, range(50, 200));

  // The new devices are in the output file. The devices to remove are being searched.
  const sets = slowSets(({ within }) => within !== undefined);
  let attempts = 0;
  const counted: typeof universe = {
    ...universe,
    pending() {
      attempts++;
      return universe.pending();
    },
  };
  const fold = createUniverseFold({
    ...records,
    directory,
    universe: counted,
    sets,
    reserve: noReserve,
  });
  const { segmentId } = await fold(signal);
  expect({ attempts, swept: sets.swept }).toEqual({
    attempts: 1,
    swept: [{ files: 0, strays: 0 }],
  });
  expect(await world.numbersOf(segmentId)).toEqual(range(50, 200));

  // Only the files of runs are left; the record of the devices set aside goes as well.
  await letTwoHoursPass();
  await sql`update run_file set last_dropped_at = last_dropped_at - interval '2 hours'`.execute(
    world.db,
  );
  await world.verbs.sweep(hour);
  const used = [...(await world.runsOf(segmentId)), ...(await world.runsOf(other))];
  const files = [...new Set(used.map(({ file }) => file))].sort();
  expect(await world.files()).toEqual(files);
  expect([...(await runFiles.names())].sort()).toEqual(files);
});

it('keeps the file of a compaction that writes nothing for longer than the grace period', async () => {
  const { records, directory } = world;
  const segments = [await world.newSegment('audience'), await world.newSegment('audience')];
  for (const segment of segments) {
    for (let i = 0; i < 3; i++) await world.add(segment, range(i * 10, i * 10 + 10));
  }
  let gathers = 0;
  const sets = slowSets(() => ++gathers === 2);
  const options = { rewriteAfterSeconds: 24 * hour, crowdedAbove: 2 };
  const compact = createCompaction({ directory, records, sets, reserve: noReserve });
  const done = await compact(options, signal);
  expect(done).toMatchObject({ mergedRuns: 6, conflicts: 0 });
  expect(sets.swept).toEqual([{ files: 0, strays: 0 }]);
  for (const segment of segments) expect(await world.numbersOf(segment)).toEqual(range(0, 30));
});
