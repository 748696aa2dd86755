import { unlinkSync } from 'node:fs';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { machineHas } from '../../../../test/support/requirements.ts';
import { mountDisk } from '../../../../test/support/small-disk.ts';
import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { type Load, RunsRemoved } from '../../port.ts';
import { createInlinePool } from '../testing/inline-pool.ts';
import { type Loading, openLoading } from '../testing/loading.ts';
import { batchOf, type Row, spreadDevice } from '../testing/rows.ts';
import { beginLoad } from './load.ts';
import { extentWords } from './memory/slots.ts';
import { createLoadTasks } from './tasks/load-tasks.ts';
import type { Removals } from './tasks/mark-removed.ts';
import type { SortParts } from './tasks/part-tasks.ts';

const { signal } = new AbortController();
const meaning = { segmentIds: [10, 11], everyRow: 1, mode: 'merge' as const };
const little = { inline: true, threads: 2, memoryBytes: 64 * 1024 };
const plenty = { inline: true, threads: 2, memoryBytes: 64 * 1024 * 1024 };

let under: Loading;
beforeEach(async () => {
  under = await openLoading(little);
});
afterEach(() => under[Symbol.asyncDispose]());

function range(from: number, to: number): Row[] {
  return Array.from({ length: to - from }, (_, i) => ({
    device: spreadDevice(from + i),
    names: [i % 2],
  }));
}

async function add(load: Load, rows: readonly Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 1000) await load.add(batchOf(rows.slice(at, at + 1000)));
}

async function commit(jobId: number, rows: readonly Row[]): Promise<void> {
  await using load = under.begin(jobId);
  await add(load, rows);
  under.commit((await load.stage(meaning, signal)).change);
}

/** A load that calls `first` before it runs a task for the n-th time. */
function beginWith(jobId: number, task: string, nth: number, first: () => void): Load {
  let times = 0;
  return under.begin(jobId, (name) => {
    if (name === task && ++times === nth) first();
  });
}

describe('a load that fails', () => {
  it.each(['sortParts', 'writeOutput', 'encodeNew', 'writeFooter'])(
    'leaves nothing behind when it is aborted: %s',
    async (task) => {
      const controller = new AbortController();
      const stopped = new Error('shutting down');
      {
        await using load = beginWith(1, task, 1, () => {
          controller.abort(stopped);
          if (task === 'writeFooter') throw stopped;
        });
        await add(load, range(0, 20_000));
        await expect(load.stage(meaning, controller.signal)).rejects.toBe(stopped);
      }
      expect(await readdir(under.directory)).toEqual([]);
      expect(under.arena.available()).toBe(under.arena.budget);
    },
  );

  it('leaves no file behind when the final rename fails', async () => {
    await mkdir(join(under.directory, 'job-1-1.parquet'));
    await using load = under.begin(1);
    await add(load, range(0, 10));
    await expect(load.stage(meaning, signal)).rejects.toThrow('EISDIR');
    expect(await readdir(under.directory)).toEqual(['job-1-1.parquet']);
  });

  it('does not begin to stage when it is already aborted', async () => {
    await using load = under.begin(1);
    await add(load, range(0, 10));
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(load.stage(meaning, aborted)).rejects.toThrow('stopped');
    expect(under.registered).toEqual([]);
  });

  it('fails when a thread that held some of its rows has ended', async () => {
    const { deps } = under;
    let { pool } = deps.threads;
    const run: typeof pool.run = (...call) => pool.run(...call);
    const threads = { ...deps.threads, pool: { ...pool, run } };
    await using load = beginLoad({ ...deps, threads }, { jobId: 1, attempt: 1 });
    await add(load, range(0, 5000));
    // Threads that replace ended ones do not have their rows.
    pool = createInlinePool(pool.size, createLoadTasks);
    await expect(load.stage(meaning, signal)).rejects.toThrow(
      'a loading thread ended and lost rows of this load',
    );
  });

  it('rejects rows with an unknown segment number', async () => {
    await using load = under.begin(1);
    await load.add(batchOf([{ device: spreadDevice(1), names: [2] }]));
    await expect(load.stage(meaning, signal)).rejects.toThrow(
      'rows use segment number 2, but the load has 2',
    );
  });

  it('releases batches even if it fails', async () => {
    const given: number[] = [];
    const batch = (i: number, rows: readonly Row[]) => ({
      ...batchOf(rows),
      release: () => void given.push(i),
    });
    {
      await using load = beginWith(1, 'scatter', 2, () => {
        throw new Error('a fault');
      });
      await load.add(batch(1, range(0, 10)));
      // Few rows are copied, so that they do not pin the memory of a whole batch.
      expect(given).toEqual([1]);
      await Promise.allSettled([
        load.add(batch(2, range(0, 3000))),
        load.add(batch(3, range(0, 3000))),
      ]);
      expect(given.toSorted()).toEqual([1, 2, 3]);
    }
    {
      await using load = under.begin(2);
      await load.add(batch(4, range(0, 10)));
    }
    expect(given.toSorted()).toEqual([1, 2, 3, 4]);
  });
});

describe('runs that a load has to subtract', () => {
  it('fail it with the name of the file when one of their pages is damaged', async () => {
    await commit(1, range(0, 10_000));
    await using handle = await open(join(under.directory, 'job-1-1.parquet'), 'r+');
    await handle.write('!', 100);
    await using load = under.begin(2);
    await add(load, range(5000, 15_000));
    await expect(load.stage(meaning, signal)).rejects.toThrow(
      'run file job-1-1.parquet cannot be read: row group 0, page 0: checksum mismatch',
    );
    expect(await readdir(under.directory)).toEqual(['job-1-1.parquet']);
  });

  it('are looked up again when their file is gone', async () => {
    await commit(1, range(0, 100));
    const path = join(under.directory, 'job-1-1.parquet');
    await rename(path, join(under.directory, 'compacted.parquet'));
    let asked = 0;
    const runsOf = async (ids: readonly number[]) => {
      const isFresh = ++asked > 2;
      const runs = await under.deps.manifest.runsOf(ids);
      return isFresh ? runs.map((run) => ({ ...run, file: 'compacted.parquet' })) : runs;
    };
    await using load = beginLoad({ ...under.deps, manifest: { runsOf } }, { jobId: 2, attempt: 1 });
    await add(load, range(50, 150));
    const staged = await load.stage(meaning, signal);
    expect(staged.change.add.map(({ devices }) => devices)).toEqual([50, 25, 25]);
  });

  it('fail it with the name of the file when it stays missing', async () => {
    await commit(1, range(0, 100));
    await rename(join(under.directory, 'job-1-1.parquet'), join(under.directory, 'elsewhere'));
    await using load = under.begin(2);
    await add(load, range(0, 100));
    await expect(load.stage(meaning, signal)).rejects.toThrow(
      'run file job-1-1.parquet is in the manifest but cannot be opened: file not found',
    );
  });

  it('stay readable when their file is removed after it was opened', async () => {
    await commit(1, range(0, 10_000));
    const path = join(under.directory, 'job-1-1.parquet');
    const gone: Promise<void>[] = [];
    await using load = beginWith(2, 'sortParts', 1, () => {
      gone.push(rename(path, `${path}.gone`));
    });
    await add(load, range(5000, 15_000));
    const staged = await load.stage({ ...meaning, segmentIds: [20, 21] }, signal);
    expect(gone).toHaveLength(1);
    expect(staged.change.add[0]).toMatchObject({ segmentId: 1, devices: 5000 });
  });
});

describe('runs in more files than stay open', () => {
  const rows = range(0, 40);
  const removals = rows.map(({ device }) => ({ device, names: null }));

  beforeEach(async () => {
    for (const [i, row] of rows.entries()) await commit(i + 1, [row]);
  });

  it.each([
    ['sortParts', 'of the segment that gets every row', {}, rows],
    ['encodeNew', 'of a named segment', { everyRow: null }, rows],
    ['findAffectedRuns', 'of a segment that loses devices', { everyRow: null }, removals],
  ])('can be swept before %s reads those %s', async (task, _, more, added) => {
    await using load = beginWith(100, task, 1, () => {
      unlinkSync(join(under.directory, `job-${rows.length}-1.parquet`));
    });
    await add(load, added);
    const staging = load.stage({ ...meaning, ...more }, signal);
    await expect(staging).rejects.toThrow(RunsRemoved);
    await expect(staging).rejects.toThrow(`run file job-${rows.length}-1.parquet cannot be read`);
    expect(await readdir(under.directory)).toHaveLength(rows.length - 1);
  });
});

describe('concurrent loads', () => {
  it('share the memory, and continue when it is used up', async () => {
    await using threaded = await openLoading({ inline: false, threads: 2, memoryBytes: 1 << 20 });
    const jobs = [1, 2, 3, 4];
    const staged = await Promise.all(
      jobs.map(async (job) => {
        await using load = threaded.begin(job);
        await add(load, range(job * 1000, job * 1000 + 40_000));
        return await load.stage(
          { ...meaning, everyRow: job, segmentIds: [20 + job, 30 + job] },
          signal,
        );
      }),
    );
    for (const { change } of staged) threaded.commit(change);
    for (const job of jobs) {
      const expected = range(job * 1000, job * 1000 + 40_000).map(({ device }) => device);
      expect(threaded.contentsOf(job)).toEqual(expected.sort());
    }
    expect(threaded.arena.available()).toBe(threaded.arena.budget);
  });
});

describe('memory', () => {
  it('suffices for a small load when another one has used up the budget', async () => {
    await using large = under.begin(1);
    await add(large, range(0, 20_000));
    expect(under.arena.available()).toBe(0);
    await commit(2, range(0, 1500));
    expect(under.contentsOf(1)).toHaveLength(1500);
  });

  it('does not grow with the number of parts that are too large', async () => {
    const { arena } = under.deps;
    let taken = 0;
    let most = 0;
    const counting: typeof arena = {
      ...arena,
      take(...asked) {
        const blocks = arena.take(...asked);
        taken += blocks.length;
        most = Math.max(most, taken);
        return blocks;
      },
      release(blocks) {
        const given = [...blocks];
        taken -= given.length;
        arena.release(given);
      },
    };
    await using load = beginLoad({ ...under.deps, arena: counting }, { jobId: 1, attempt: 1 });
    const rows = range(0, 100_000);
    await add(load, rows);
    const afterAdding = most;
    const staged = await load.stage(meaning, signal);
    expect(staged.uniqueDevices).toBe(rows.length);
    // All 512 parts are split, each into 16 with a block on each of two threads.
    expect(most).toBeLessThanOrEqual(afterAdding + 2 * 16);
  });

  it('does not grow with the number of rows of one device', async () => {
    const lengths: number[] = [];
    await using load = under.begin(1, (name, input) => {
      if (name !== 'sortParts') return;
      for (const { rows } of (input as SortParts).parts) lengths.push(rows!.length);
    });
    await add(
      load,
      range(0, 40_000).map((row) => ({ ...row, device: spreadDevice(1) })),
    );
    expect(await load.stage(meaning, signal)).toMatchObject({ uniqueDevices: 1 });
    expect(lengths).toEqual([2 * 5]);
  });
});

describe('devices removed from all segments', () => {
  it('are read once for many small runs', async () => {
    const segmentIds = Array.from({ length: 200 }, (_, i) => 100 + i);
    const many = { segmentIds, everyRow: null, mode: 'merge' as const };
    const rows = range(0, 4000).map((row, i) => ({ ...row, names: [i % 200] }));
    {
      await using load = under.begin(1);
      await add(load, rows);
      under.commit((await load.stage(many, signal)).change);
    }
    const read = new Map<string, number>();
    await using load = under.begin(2, (name, input) => {
      if (name !== 'findAffectedRuns' && name !== 'encodeRemaining') return;
      const { removedFromAll, items } = input as Removals;
      const lists = [removedFromAll, ...items.map(({ removed }) => removed)];
      const words = lists.reduce((sum, extents) => sum + extentWords(extents), 0);
      read.set(name, (read.get(name) ?? 0) + words);
    });
    const removals = range(2000, 12_000).map(({ device }) => ({
      device,
      names: null,
      removes: true,
    }));
    await add(load, removals);
    const staged = await load.stage(many, signal);
    expect(staged.change.drop).toHaveLength(200);
    under.commit(staged.change);
    for (const [i, segmentId] of segmentIds.entries()) {
      const left = rows.slice(0, 2000).filter(({ names }) => names[0] === i);
      expect(under.contentsOf(segmentId)).toEqual(left.map(({ device }) => device).sort());
    }
    const listed = removals.length * wordsPerDevice;
    expect(Object.fromEntries(read)).toEqual({ findAffectedRuns: listed, encodeRemaining: listed });
  });
});

describe.skipIf(!machineHas('root'))('a full disk', () => {
  it.each([
    ['while rows are spilled', little, 60_000, '768k'],
    ['while a run file is written', plenty, 60_000, '768k'],
  ])('fails a load %s, which leaves nothing behind', async (_, options, count, size) => {
    await using disk = await mountDisk(`size=${size}`);
    await using full = await openLoading({ ...options, directory: disk.path });
    {
      await using load = full.begin(1);
      const loading = add(load, range(0, count)).then(() => load.stage(meaning, signal));
      await expect(loading).rejects.toMatchObject({ code: 'storage_full' });
    }
    expect(await readdir(disk.path)).toEqual([]);
    await using load = full.begin(2);
    await add(load, range(0, 1000));
    expect(await load.stage(meaning, signal)).toMatchObject({ uniqueDevices: 1000 });
  });
});
