import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createIntake, type Intake } from './intake.ts';
import {
  anyFile,
  awkwardLine,
  cutAt,
  delimiters,
  layouts,
  marks,
  segments,
  shortRow,
  writtenRow,
} from './testing/awkward-files.ts';
import { type NaiveLayout, type PlainReading, readNaively } from './testing/naive-reader.ts';
import { readWhole } from './testing/read-file.ts';

// About two lines per chunk, so that two threads scan several chunks of every file.
const inSmallChunks = createIntake({ threads: 2, chunkBytes: 100 });
const inOneChunk = createIntake({ threads: 1 });

afterAll(async () => {
  await inSmallChunks[Symbol.asyncDispose]();
  await inOneChunk[Symbol.asyncDispose]();
});

const soaking = process.env.TRIBUTARY_SOAK === '1';

function runs(count: number): { numRuns: number } {
  return { numRuns: soaking ? count * 20 : count };
}

async function read(
  intake: Intake,
  pieces: readonly Uint8Array[],
  layout: NaiveLayout,
  rejectLimit: number,
): Promise<PlainReading> {
  const { bytesRead, labels, problems, ...reading } = await readWhole(intake, pieces, {
    layout,
    rejectLimit,
  });
  return { ...reading, problems: problems.map(({ file, message, ...plain }) => plain) };
}

const places = fc.array(fc.nat(), { maxLength: 30 });
const intakes = fc.constantFrom(inSmallChunks, inSmallChunks, inOneChunk);
const limits = fc.constantFrom(0, 0.05, 0.5, 1);

/** The ways to compress the same content. */
const packings = fc.constantFrom<(bytes: Buffer) => Buffer>(
  (bytes) => bytes,
  (bytes) => gzipSync(bytes),
  (bytes) => zstdCompressSync(bytes),
  (bytes) => Buffer.concat([gzipSync(bytes.subarray(0, 99)), gzipSync(bytes.subarray(99))]),
  (bytes) =>
    Buffer.concat([zstdCompressSync(bytes.subarray(0, 99)), zstdCompressSync(bytes.subarray(99))]),
);

test('rows are read as generated, however they are written and cut', async () => {
  const file = fc
    .tuple(delimiters, fc.array(shortRow, { minLength: 1, maxLength: 12 }))
    .chain(([delimiter, rows]) =>
      fc.record({
        rows: fc.constant(rows),
        mark: marks,
        lines: fc.tuple(...rows.map((made) => writtenRow(made, delimiter))),
      }),
    );
  const layout = { kind: 'marketplace', segments, mode: 'merge' } as const;
  await fc.assert(
    fc.asyncProperty(file, places, intakes, async ({ rows, mark, lines }, cuts, intake) => {
      const bytes = Buffer.from(mark + lines.join(''));
      const reading = await read(intake, cutAt(bytes, cuts), layout, 1);
      const accepted = rows.filter(({ outcome }) => outcome === 'accepted');
      const dropped = rows
        .filter(({ outcome }) => outcome !== 'accepted')
        .map(({ outcome }) => outcome);
      expect(reading.rows).toEqual(
        accepted.map(({ cells: [id = '', keys = ''] }) => [
          id.toLowerCase().replaceAll('-', ''),
          '+',
          [...new Set(keys.split('|').map((key) => segments.get(key)))],
        ]),
      );
      expect(reading).toMatchObject({
        outcome: 'read',
        totalRows: rows.length,
        rejectedRows: dropped.length,
      });
      expect(reading.problems.map(({ code, count }) => [code, count])).toEqual(
        [...new Set(dropped)].map((code) => [
          code,
          dropped.filter((outcome) => outcome === code).length,
        ]),
      );
    }),
    runs(100),
  );
});

describe.each(layouts)('a file of the layout %o', (layout) => {
  test('reads as by the naive reader, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFile(layout.kind),
        places,
        limits,
        intakes,
        async (bytes, cuts, limit, intake) => {
          const reading = await read(intake, cutAt(bytes, cuts), layout, limit);
          expect(reading).toEqual(readNaively(bytes, layout, limit));
        },
      ),
      runs(150),
    );
  });

  test('reads the same with any compression', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile(layout.kind), places, packings, async (bytes, cuts, pack) => {
        const packed = cutAt(pack(bytes), cuts);
        expect(await read(inSmallChunks, packed, layout, 1)).toEqual(readNaively(bytes, layout, 1));
      }),
      runs(60),
    );
  });

  test('with two awkward lines reads as by the naive reader', async () => {
    const file = fc
      .tuple(awkwardLine, awkwardLine)
      .map(([a, b]) => Buffer.concat([a, Buffer.from('\n'), b]));
    await fc.assert(
      fc.asyncProperty(file, places, async (bytes, cuts) => {
        const reading = await read(inOneChunk, cutAt(bytes, cuts), layout, 1);
        expect(reading).toEqual(readNaively(bytes, layout, 1));
      }),
      runs(150),
    );
  });

  test('with arbitrary bytes reads as by the naive reader', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), places, async (bytes, cuts) => {
        const reading = await read(inOneChunk, cutAt(bytes, cuts), layout, 1);
        expect(reading).toEqual(readNaively(bytes, layout, 1));
      }),
      runs(60),
    );
  });
});
