import { mkdtemp, open, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetMetadata, readColumnIndex } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deviceBytes } from '../../domain/device-id.ts';
import { messageOf } from '../../domain/errors.ts';
import type { Run } from '../../records/manifest.ts';
import { wordsPerDevice } from './device-words.ts';
import { createRunReader } from './run-file-reader.ts';
import { createRunFile } from './run-file-writer.ts';
import { subtractRun } from './subtract.ts';

const file = 'job-1-1.parquet';
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tributary-runs-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function noPause(): Promise<void> {}

/** `count` devices that ascend in steps of 16 in their second word, from a first one. */
function ascending(count: number, from = 0): Uint32Array {
  const devices = new Uint32Array(count * wordsPerDevice);
  for (let i = 0; i < count; i++) devices[i * wordsPerDevice + 1] = (from + i) * 16;
  return devices;
}

async function write(...runs: Uint32Array[]): Promise<Run[]> {
  await using writer = await createRunFile(directory, file);
  const written: Run[] = [];
  for (const [runId, devices] of runs.entries()) {
    const place = await writer.writeRun(devices, noPause);
    written.push({ runId, segmentId: runId, file, ...place, devices: devices.length / 4 });
  }
  await writer.finish();
  return written;
}

async function readAll(run: Run): Promise<number[]> {
  await using opened = await createRunReader(directory).open(run);
  const pages = [];
  for (const page of opened.pages) pages.push(...(await opened.readPage(page)));
  return pages;
}

async function flipBit(offset: number): Promise<void> {
  await using handle = await open(join(directory, file), 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, offset);
  byte[0]! ^= 4;
  await handle.write(byte, 0, 1, offset);
}

async function footer() {
  const bytes = await readFile(join(directory, file));
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return { buffer, metadata: parquetMetadata(buffer) };
}

describe('a run file', () => {
  it.each([1, 4095, 4096, 4097, 20_000])('gives back a run of %i devices', async (count) => {
    const devices = ascending(count);
    const [run] = await write(devices);
    expect(await readAll(run!)).toEqual([...devices]);
    await using opened = await createRunReader(directory).open(run!);
    expect(opened.pages.map((page) => page.devices)).toEqual([
      ...Array(Math.floor(count / 4096)).fill(4096),
      ...(count % 4096 ? [count % 4096] : []),
    ]);
  });

  it('holds several runs, and a large one in several row groups', async () => {
    const [small, large, last] = await write(
      ascending(3),
      ascending((1 << 20) + 1),
      ascending(2, 9),
    );
    expect(small).toMatchObject({ firstRowGroup: 0, rowGroups: 1 });
    expect(large).toMatchObject({ firstRowGroup: 1, rowGroups: 2 });
    expect(last).toMatchObject({ firstRowGroup: 3, rowGroups: 1 });
    expect(await readAll(last!)).toEqual([...ascending(2, 9)]);
    await using opened = await createRunReader(directory).open(large!);
    expect(opened.pages).toHaveLength(257);
    expect(opened.pages.at(-1)).toMatchObject({ devices: 1, label: 'row group 2, page 0' });
  });

  it('says in its footer what it is, with an index of even a single page', async () => {
    const [run] = await write(ascending(2));
    const { buffer, metadata } = await footer();
    expect(metadata.schema[1]).toMatchObject({
      name: 'device',
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: 16,
      repetition_type: 'REQUIRED',
      logical_type: { type: 'UUID' },
    });
    const [rowGroup] = metadata.row_groups;
    expect(rowGroup).toMatchObject({
      num_rows: 2n,
      total_compressed_size: BigInt(run!.bytes),
      sorting_columns: [{ column_idx: 0, descending: false, nulls_first: false }],
    });
    const [chunk] = rowGroup!.columns;
    expect(chunk!.meta_data).toMatchObject({
      encodings: ['PLAIN'],
      codec: 'UNCOMPRESSED',
      statistics: {
        min_value: '00000000-0000-0000-0000-000000000000',
        max_value: '00000000-0000-0010-0000-000000000000',
      },
    });
    const view = new DataView(buffer, Number(chunk!.column_index_offset));
    const index = readColumnIndex({ view, offset: 0 }, metadata.schema[1]!);
    expect(index).toMatchObject({
      boundary_order: 'ASCENDING',
      min_values: ['00000000-0000-0000-0000-000000000000'],
      max_values: ['00000000-0000-0010-0000-000000000000'],
    });
  });

  it('leaves nothing behind when given up before it has finished', async () => {
    {
      await using writer = await createRunFile(directory, file);
      await writer.writeRun(ascending(10), noPause);
      expect(await readdir(directory)).toEqual([`${file}.tmp`]);
    }
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('a damaged run file', () => {
  it('is found out wherever a bit of a page or of its index flips', async () => {
    const devices = ascending(4100);
    const [run] = await write(devices);
    const { metadata } = await footer();
    const chunk = metadata.row_groups[0]!.columns[0]!;
    const pagesAt = Number(chunk.meta_data!.data_page_offset);
    const indexAt = Number(chunk.column_index_offset);
    const indexEnd = Number(chunk.offset_index_offset) + chunk.offset_index_length!;
    await using opened = await createRunReader(directory).open(run!);
    const secondPageAt = opened.pages[1]!.offset;

    async function readAfterFlip(offset: number): Promise<string | number[]> {
      await flipBit(offset);
      const outcome = await readAll(run!).catch(messageOf);
      await flipBit(offset);
      return outcome;
    }

    const bodyAt = secondPageAt - 4096 * deviceBytes;
    for (let at = pagesAt; at < bodyAt; at++) {
      const outcome = await readAfterFlip(at);
      // A page's header repeats what the index says; where it is not needed, it may be wrong.
      if (typeof outcome !== 'string') expect(outcome).toEqual([...devices]);
    }
    for (const at of [bodyAt, secondPageAt - 1]) {
      expect(await readAfterFlip(at)).toBe(
        `run file ${file} cannot be read: row group 0, page 0: its checksum does not match`,
      );
    }
    expect(await readAfterFlip(indexAt - 1)).toMatch(/row group 0, page 1: its checksum/);
    for (let at = indexAt; at < indexEnd; at++) {
      expect(await readAfterFlip(at)).toMatch(
        /cannot be read: page index of row group 0: its checks/,
      );
    }
    expect(await readAll(run!)).toEqual([...devices]);
  });

  it('is found out when it was cut short', async () => {
    const [run] = await write(ascending(5000));
    for (const size of [60_000, 6, 0]) {
      await truncate(join(directory, file), size);
      await expect(readAll(run!)).rejects.toThrow(`run file ${file} cannot be read: footer`);
    }
  });

  it('is found out when it holds something else than the manifest says', async () => {
    const [run] = await write(ascending(5));
    for (const wrong of [{ devices: 6 }, { firstRowGroup: 1 }, { rowGroups: 2 }]) {
      await expect(readAll({ ...run!, ...wrong })).rejects.toThrow('the manifest says');
    }
  });

  it('is named when it is missing', async () => {
    const [run] = await write(ascending(5));
    await rm(join(directory, file));
    await expect(readAll(run!)).rejects.toThrow(`run file ${file}, which the manifest names`);
  });
});

describe('subtractRun', () => {
  async function subtract(devices: Uint32Array, run: Run): Promise<Uint32Array> {
    await using opened = await createRunReader(directory).open(run);
    return await subtractRun(devices, opened, noPause);
  }

  it('keeps what lies before, between, within and after the pages', async () => {
    const [run] = await write(ascending(10_000, 100));
    const before = ascending(3);
    const after = ascending(4, 10_100);
    const within = Uint32Array.of(0, 101 * 16, 0, 1, 0, 7000 * 16 + 1, 0, 0);
    const between = Uint32Array.of(0, (100 + 4095) * 16, 0, 9);
    const news = [...before, ...within.subarray(0, 4), ...between, ...within.subarray(4), ...after];
    expect([...(await subtract(Uint32Array.from(news), run!))]).toEqual(news);
    const all = [...ascending(10_104)];
    expect([...(await subtract(Uint32Array.from(all), run!))]).toEqual([
      ...ascending(100),
      ...after,
    ]);
    expect(await subtract(ascending(10_000, 100), run!)).toHaveLength(0);
  });

  it('reads only pages in whose range a device falls', async () => {
    const [run] = await write(ascending(5 * 4096));
    await using opened = await createRunReader(directory).open(run!);
    const read: string[] = [];
    const counting = {
      ...opened,
      readPage(page: (typeof opened.pages)[number]) {
        read.push(page.label);
        return opened.readPage(page);
      },
    };
    const few = Uint32Array.from([...ascending(1, 5000), ...ascending(1, 17_000)]);
    expect(await subtractRun(few, counting, noPause)).toHaveLength(0);
    expect(read).toEqual(['row group 0, page 1', 'row group 0, page 4']);
  });
});
