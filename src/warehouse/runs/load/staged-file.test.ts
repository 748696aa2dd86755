import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { writeFully } from '../file/file-io.ts';
import { createPageSink } from '../file/page-sink.ts';
import { createStagedFile, type StagedFile } from './staged-file.ts';

const file = 'job-1-1.parquet';
// More than the bytes between two background syncs.
const manyBytes = 48 << 20;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'staged-file-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function stageOneRun(staged: StagedFile): Promise<void> {
  const sink = createPageSink();
  sink.add(new Uint32Array(wordsPerDevice).fill(1));
  const place = staged.reserve(sink.bytes);
  staged.add(sink.table(), place);
  writeFully(await staged.fd(), sink.content(), place);
  staged.reserve(manyBytes);
  staged.reserve(manyBytes);
  staged.endRun(7);
}

test('a large file is synced while it is written, and finishes complete', async () => {
  await using staged = createStagedFile({ directory, file, register: async () => {} });
  await stageOneRun(staged);
  const runs = await staged.finish(async () => {});
  expect(runs).toMatchObject([{ segmentId: 7, file, devices: 1 }]);
  expect(await readdir(directory)).toEqual([file]);
});

test('a large file that does not finish is deleted', async () => {
  {
    await using staged = createStagedFile({ directory, file, register: async () => {} });
    await stageOneRun(staged);
  }
  expect(await readdir(directory)).toEqual([]);
});
