import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../../records/warehouse/manifest.ts';
import { createThreadPool } from '../../../../threads/thread-pool.ts';

import { createProfileWriter } from '../../file/profile-writer.ts';
import { createRunFile } from '../../file/run-file-writer.ts';
import type { OpenedRun } from '../../file/run-opener.ts';
import { createInlinePool } from '../../testing/inline-pool.ts';
import { hexOf, wordsOfHex } from '../../testing/rows.ts';
import type { OpenedProfile } from '../profiles.ts';
import { createSetTasks, type SetTasks } from '../set-tasks.ts';
import { createSets, type GatherRequest } from '../sets.ts';

export interface TestSetsOptions {
  /** Runs tasks in this thread, so that coverage includes them. */
  readonly inline: boolean;
  readonly capacity?: number;
}

/** Sets over run files in a temporary folder, with helpers to write and read devices as hex. */
export async function openTestSets({ inline, capacity }: TestSetsOptions) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-sets-'));
  const pool = inline
    ? createInlinePool(2, () => createSetTasks(capacity))
    : createThreadPool<SetTasks>(new URL('../sets-thread.ts', import.meta.url), 2);
  const sets = createSets({ directory, pool, ...(capacity === undefined ? {} : { capacity }) });
  const held = new AsyncDisposableStack();
  let files = 0;

  return {
    directory,
    sets,

    /** Writes runs, each a list of devices as hex, to a file and opens them. */
    async runsOf(...runs: (readonly string[])[]): Promise<readonly OpenedRun[]> {
      const file = `file-${++files}.parquet`;
      const written: Run[] = [];
      await using writer = await createRunFile(directory, file);
      for (const devices of runs) {
        const words = wordsOfHex(devices.toSorted().join(''));
        const run = await writer.writeRun(words, async () => {});
        written.push({ runId: files * 1000 + written.length, segmentId: 1, file, ...run });
      }
      await writer.finish();
      return sets.open(async () => written, held);
    },

    /** Writes a profile of the runs to a file and opens it. */
    async profileOf(runs: readonly OpenedRun[]): Promise<OpenedProfile> {
      const file = `file-${++files}.parquet`;
      await using writer = await createProfileWriter(directory, file);
      const { signal } = new AbortController();
      for await (const batch of sets.profiles.make(runs, signal)) {
        await writer.add(batch, async () => {});
      }
      const run = { runId: files * 1000, segmentId: 1, file, ...(await writer.finish()) };
      const [opened] = await sets.open(async () => [run], held);
      return sets.profiles.withLists(opened!, runs.length);
    },

    async gathered(request: GatherRequest): Promise<{ devices: string[]; held: number[] }> {
      const devices: string[] = [];
      const counts: number[] = [];
      for await (const batch of sets.gather(request, new AbortController().signal)) {
        devices.push(...hexOf(batch.devices));
        for (const [i, count] of batch.held.entries()) counts[i] = (counts[i] ?? 0) + count;
      }
      return { devices, held: counts };
    },

    async [Symbol.asyncDispose]() {
      await held.disposeAsync();
      await pool[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

export type TestSets = Awaited<ReturnType<typeof openTestSets>>;
