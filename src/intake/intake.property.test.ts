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

// Chunks of two lines or so: every file is scanned in several, by two threads at once.
const inSmallChunks = createIntake({ threads: 2, chunkBytes: 100 });
const inOneChunk = createIntake({ threads: 1 });

afterAll(async () => {
  await inSmallChunks[Symbol.asyncDispose]();
  await inOneChunk[Symbol.asyncDispose]();
});

const soaking = process.env.TRIBUTARY_SOAK === '1';

function runs(few: number): { numRuns: number } {
  return { numRuns: soaking ? few * 20 : few };
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

/** Every way to send the same content. */
const packings = fc.constantFrom<(bytes: Buffer) => Buffer>(
  (bytes) => bytes,
  (bytes) => gzipSync(bytes),
  (bytes) => zstdCompressSync(bytes),
  (bytes) => Buffer.concat([gzipSync(bytes.subarray(0, 99)), gzipSync(bytes.subarray(99))]),
  (bytes) =>
    Buffer.concat([zstdCompressSync(bytes.subarray(0, 99)), zstdCompressSync(bytes.subarray(99))]),
);

test('rows come out as they were made, however they are written and cut', async () => {
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
      const accepted = rows.filter(({ fate }) => fate === 'accepted');
      const dropped = rows.filter(({ fate }) => fate !== 'accepted').map(({ fate }) => fate);
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
        [...new Set(dropped)].map((code) => [code, dropped.filter((fate) => fate === code).length]),
      );
    }),
    runs(100),
  );
});

describe.each(layouts)('a file of the layout %o', (layout) => {
  test('reads as it does naively, wherever it is cut', async () => {
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

  test('reads the same however it is compressed', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile(layout.kind), places, packings, async (bytes, cuts, pack) => {
        // Compressed, nothing is something; plain, it is an empty file all the same.
        const packed = cutAt(pack(bytes), cuts);
        expect(await read(inSmallChunks, packed, layout, 1)).toEqual(readNaively(bytes, layout, 1));
      }),
      runs(60),
    );
  });

  test('of two awkward lines reads as it does naively', async () => {
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

  test('of any bytes has an outcome, the one it has naively', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), places, async (bytes, cuts) => {
        const reading = await read(inOneChunk, cutAt(bytes, cuts), layout, 1);
        expect(reading).toEqual(readNaively(bytes, layout, 1));
      }),
      runs(60),
    );
  });
});
