import { mkdtemp, open, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetMetadata, readColumnIndex } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deviceBytes } from '../../domain/device-id.ts';
import { messageOf } from '../../domain/errors.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import { wordsPerDevice } from './devices/device-words.ts';
import { createPageReader } from './file/page-reader.ts';

import type { ReadableRun } from './file/readable-run.ts';
import { createRunFile } from './file/run-file-writer.ts';
import { markShared, subtractRun } from './load/tasks/subtract.ts';
import { shapes } from './sets/testing/shapes.ts';
import { withOpenRun } from './testing/read-run.ts';
import { hexOf, spreadDevice, wordsOfHex } from './testing/rows.ts';

const file = 'job-1-1.parquet';
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tributary-runs-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function noPause(): Promise<void> {}

/** `count` devices that ascend in steps of 16 in their second word. */
function ascending(count: number, from = 0): Uint32Array {
  const devices = new Uint32Array(count * wordsPerDevice);
  for (let i = 0; i < count; i++) devices[i * wordsPerDevice + 1] = (from + i) * 16;
  return devices;
}

async function write(...runs: Uint32Array[]): Promise<Run[]> {
  await using writer = await createRunFile(directory, file);
  const written: Run[] = [];
  for (const [runId, devices] of runs.entries()) {
    const run = await writer.writeRun(devices, noPause);
    written.push({ runId, segmentId: runId, file, ...run });
  }
  await writer.finish();
  return written;
}

function withOpen<T>(run: Run, use: (open: ReadableRun) => T): T {
  return withOpenRun(directory, run, use);
}

function readAll(run: Run): number[] {
  const reader = createPageReader();
  return withOpen(run, (open) =>
    Array.from({ length: open.index.pages }, (_, page) => [...reader.readPage(open, page)]).flat(),
  );
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
  it.each([1, 4095, 4096, 4097, 20_000])('returns a run of %i devices', async (count) => {
    const devices = ascending(count);
    const [run] = await write(devices);
    expect(readAll(run!)).toEqual([...devices]);
    expect(withOpen(run!, ({ index }) => [...index.devices])).toEqual([
      ...Array(Math.floor(count / 4096)).fill(4096),
      ...(count % 4096 ? [count % 4096] : []),
    ]);
  });

  it('holds several runs, a large one in several row groups', async () => {
    const [small, large, last] = await write(
      ascending(3),
      ascending((1 << 20) + 1),
      ascending(2, 9),
    );
    expect(small).toMatchObject({ firstRowGroup: 0, rowGroups: 1 });
    expect(large).toMatchObject({ firstRowGroup: 1, rowGroups: 2 });
    expect(last).toMatchObject({ firstRowGroup: 3, rowGroups: 1 });
    expect(readAll(last!)).toEqual([...ascending(2, 9)]);
    withOpen(large!, ({ index }) => {
      expect(index.pages).toBe(257);
      expect(index.devices.at(-1)).toBe(1);
      expect(index.rowGroupStarts).toEqual([0, 256]);
    });
  });

  it('has a complete footer, with an index even for a single page', async () => {
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

  it('is deleted if it is disposed before it is finished', async () => {
    {
      await using writer = await createRunFile(directory, file);
      await writer.writeRun(ascending(10), noPause);
      expect(await readdir(directory)).toEqual([`${file}.tmp`]);
    }
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('a damaged run file', () => {
  it('is detected if any bit of a page or of the page index flips', async () => {
    const devices = ascending(4100);
    const [run] = await write(devices);
    const { metadata } = await footer();
    const chunk = metadata.row_groups[0]!.columns[0]!;
    const pagesAt = Number(chunk.meta_data!.data_page_offset);
    const indexAt = Number(chunk.column_index_offset);
    const indexEnd = Number(chunk.offset_index_offset) + chunk.offset_index_length!;
    const secondPageAt = withOpen(run!, ({ index }) => index.offsets[1]!);

    async function readAfterFlip(offset: number): Promise<string | number[]> {
      await flipBit(offset);
      try {
        return readAll(run!);
      } catch (error) {
        return messageOf(error);
      } finally {
        await flipBit(offset);
      }
    }

    const bodyAt = secondPageAt - 4096 * deviceBytes;
    for (let at = pagesAt; at < bodyAt; at++) {
      const outcome = await readAfterFlip(at);
      // The page header repeats facts from the index. Bits that are not used may be wrong.
      if (typeof outcome !== 'string') expect(outcome).toEqual([...devices]);
    }
    for (const at of [bodyAt, secondPageAt - 1]) {
      expect(await readAfterFlip(at)).toBe(
        `run file ${file} cannot be read: row group 0, page 0: checksum mismatch`,
      );
    }
    expect(await readAfterFlip(indexAt - 1)).toMatch(/row group 0, page 1: checksum mismatch/);
    for (let at = indexAt; at < indexEnd; at++) {
      expect(await readAfterFlip(at)).toMatch(
        /cannot be read: page index of row group 0: checksum mismatch/,
      );
    }
    expect(readAll(run!)).toEqual([...devices]);
  });

  it('is detected if it is truncated', async () => {
    const [run] = await write(ascending(5000));
    for (const size of [60_000, 6, 0]) {
      await truncate(join(directory, file), size);
      expect(() => readAll(run!)).toThrow(`run file ${file} cannot be read: footer`);
    }
  });

  it('is detected if it does not match the manifest', async () => {
    const [run] = await write(ascending(5));
    for (const wrong of [{ devices: 6 }, { firstRowGroup: 1 }, { rowGroups: 2 }]) {
      expect(() => readAll({ ...run!, ...wrong })).toThrow('the manifest lists');
    }
  });
});

describe('subtractRun', () => {
  const reader = createPageReader();

  function subtract(devices: Uint32Array, run: Run): Uint32Array {
    return withOpen(run, (open) => subtractRun(devices, open, reader));
  }

  it('keeps new devices before, between, within and after the pages', async () => {
    const [run] = await write(ascending(10_000, 100));
    const before = ascending(3);
    const after = ascending(4, 10_100);
    const within = Uint32Array.of(0, 101 * 16, 0, 1, 0, 7000 * 16 + 1, 0, 0);
    const between = Uint32Array.of(0, (100 + 4095) * 16, 0, 9);
    const news = [...before, ...within.subarray(0, 4), ...between, ...within.subarray(4), ...after];
    expect([...subtract(Uint32Array.from(news), run!)]).toEqual(news);
    const all = [...ascending(10_104)];
    expect([...subtract(Uint32Array.from(all), run!)]).toEqual([...ascending(100), ...after]);
    expect(subtract(ascending(10_000, 100), run!)).toHaveLength(0);
  });

  it('reads only pages whose span contains a device', async () => {
    const [run] = await write(ascending(5 * 4096));
    const read: number[] = [];
    const counting = {
      ...reader,
      readPage(open: ReadableRun, page: number) {
        read.push(page);
        return reader.readPage(open, page);
      },
    };
    const few = Uint32Array.from([...ascending(1, 5000), ...ascending(1, 17_000)]);
    expect(withOpen(run!, (open) => subtractRun(few, open, counting))).toHaveLength(0);
    expect(read).toEqual([1, 4]);
  });

  const numbers = fc.uniqueArray(fc.nat(300), { maxLength: 200 });
  const devicesOf = (some: readonly number[], shape = spreadDevice) => some.map(shape).sort();
  const packed = (devices: readonly string[]) => wordsOfHex(devices.join(''));

  it.each(Object.entries(shapes))(
    'agrees with a set difference for devices %s',
    async (_, shape) => {
      const held = devicesOf(
        Array.from({ length: 9000 }, (_, i) => i * 2),
        shape,
      );
      const [run] = await write(packed(held));
      const inRun = new Set(held);
      const numbers = fc.uniqueArray(fc.nat(18_000), { maxLength: 3000 });
      const some = numbers.map((some) => devicesOf(some, shape));
      fc.assert(
        fc.property(some, (devices) => {
          const missing = devices.filter((device) => !inRun.has(device));
          expect(hexOf(subtract(packed(devices), run!))).toEqual(missing);
        }),
        { numRuns: 10 },
      );
    },
  );

  it('agrees with markShared, which marks the devices on both lists', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const devices = devicesOf(a);
        const others = new Set(devicesOf(b));
        const marks = new Uint8Array(devices.length);
        markShared(packed(devices), marks, packed([...others]), 1);
        expect([...marks]).toEqual(devices.map((device) => (others.has(device) ? 1 : 0)));
      }),
    );
  });
});
