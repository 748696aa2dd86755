import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMarketplaceFile } from './read-marketplace-file.ts';
import { type PlainReading, readNaively } from './testing/naive-reader.ts';

const segments = new Map([
  ['7', 70],
  ['07', 71],
  ['seven', 70],
  ['a "b"', 72],
  ['"', 73],
  ['x,y', 74],
  ['x\ty', 75],
  ['Zürich 😀', 76],
  [' blanks ', 77],
]);

async function read(chunks: readonly Uint8Array[], rejectLimit: number): Promise<PlainReading> {
  const rows: PlainReading['rows'] = [];
  const { problems, ...reading } = await readMarketplaceFile(
    Readable.from(chunks),
    { file: 'f', segmentOf: (key) => segments.get(key), rejectLimit },
    (device, segmentIds) => rows.push([Buffer.from(device).toString('hex'), segmentIds]),
  );
  return { ...reading, rows, problems: problems.map(({ file, message, ...plain }) => plain) };
}

/** The bytes in pieces, some of them empty, whose borders know nothing of lines or characters. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length));
}

const places = fc.array(fc.nat(), { maxLength: 30 });
const delimiters = fc.constantFrom(',', '\t');
const someBlanks = fc.constantFrom('', '', '', ' ', '   ');
const marks = fc.constantFrom('', '\ufeff');
const headers = fc.constantFrom(
  [],
  ['id', 'attribute_ids'],
  ['"Advertising_ID"', ''],
  ['MAID', '?'],
);
const lineEnds = fc.constantFrom('\n', '\n', '\r\n', '\r\n', '\n\n', '\r\n \t\r\n');

const hexDigits = fc.constantFrom(...'0123456789abcdefABCDEF');
const device = fc
  .tuple(fc.uuid({ version: [1, 4, 7] }), fc.nat())
  .map(([id, mask]) =>
    id.replace(/[a-f]/g, (digit, at) => ((mask >> at) & 1 ? digit.toUpperCase() : digit)),
  );
const hash = fc
  .constantFrom(32, 40, 64)
  .chain((length) => fc.string({ unit: hexDigits, minLength: length, maxLength: length }));
const someKeys = fc
  .array(fc.constantFrom(...segments.keys()), { minLength: 1, maxLength: 5 })
  .map((keys) => keys.join('|'));

/** A row whose fate is known because it was made for it. */
interface MadeRow {
  readonly id: string;
  readonly keys: string;
  readonly fate: string;
}

function made(
  fate: string,
  id: fc.Arbitrary<string>,
  keys: fc.Arbitrary<string>,
): fc.Arbitrary<MadeRow> {
  return fc.record({ id, keys, fate: fc.constant(fate) });
}

const row = fc.oneof(
  { weight: 10, arbitrary: made('accepted', device, someKeys) },
  made('malformed_id', fc.constantFrom('-', 'n/a', '1234-5678', '"', '\0', 'é'), someKeys),
  made('hashed_id', hash, someKeys),
  made('zeroed_id', fc.constant('00000000-0000-0000-0000-000000000000'), someKeys),
  made(
    'unknown_key',
    device,
    fc.constantFrom('8', '7|SEVEN', '7|seven |07', '\0', '\ufffd', '7\r7'),
  ),
  made('no_keys', device, fc.constantFrom('', '|', '|||')),
);

/** A cell as some partner might write it: in quotes where it must be, or anyway. */
function written(cell: string, delimiter: string): fc.Arbitrary<string> {
  const mustQuote = cell.includes(delimiter) || /^[" \t]|[ \t]$/.test(cell);
  return fc
    .tuple(someBlanks, mustQuote ? fc.constant(true) : fc.boolean(), someBlanks)
    .map(([before, quoted, after]) =>
      [before, quoted ? `"${cell.replaceAll('"', '""')}"` : cell, after].join(''),
    );
}

function writtenRow({ id, keys }: MadeRow, delimiter: string): fc.Arbitrary<string> {
  return fc
    .tuple(written(id, delimiter), written(keys, delimiter), lineEnds)
    .map(([first, second, end]) => `${first}${delimiter}${second}${end}`);
}

test('rows come out as they were made, however they are written and cut', async () => {
  const file = fc
    .tuple(delimiters, fc.array(row, { minLength: 1, maxLength: 12 }))
    .chain(([delimiter, rows]) =>
      fc.record({
        rows: fc.constant(rows),
        mark: marks,
        header: headers.map((cells) => (cells.length > 0 ? `${cells.join(delimiter)}\n` : '')),
        lines: fc.tuple(...rows.map((made) => writtenRow(made, delimiter))),
      }),
    );
  await fc.assert(
    fc.asyncProperty(file, places, async ({ rows, mark, header, lines }, cuts) => {
      const bytes = Buffer.from(mark + header + lines.join(''));
      const reading = await read(cutAt(bytes, cuts), 1);
      const accepted = rows.filter(({ fate }) => fate === 'accepted');
      const dropped = rows.filter(({ fate }) => fate !== 'accepted').map(({ fate }) => fate);
      expect(reading.rows).toEqual(
        accepted.map(({ id, keys }) => [
          id.toLowerCase().replaceAll('-', ''),
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
    { numRuns: 300 },
  );
});

const awkward = fc.oneof(
  fc.constantFrom(',', '\t', '"', '""', ' ', '|', '\r', '\n', '\r\n', '\ufeff', '\0', 'é', '😀'),
  fc.constantFrom('id', 'IDFA', ...segments.keys()),
  device,
  hash,
);
const awkwardLine = fc
  .array(awkward, { maxLength: 8 })
  .map((pieces) => Buffer.from(pieces.join('')));
const brokenBytes = fc.uint8Array({ maxLength: 8 });
const longLine = fc
  .integer({ min: 65_530, max: 65_540 })
  .map((length) => Buffer.alloc(length, ','));

test('any file reads as it does naively, wherever it is cut', async () => {
  const file = delimiters.chain((delimiter) => {
    const line = row.chain((made) => writtenRow(made, delimiter)).map((text) => Buffer.from(text));
    return fc
      .tuple(
        marks.map((mark) => Buffer.from(mark)),
        fc.array(
          fc.oneof(
            { weight: 60, arbitrary: line },
            { weight: 4, arbitrary: awkwardLine },
            { weight: 2, arbitrary: brokenBytes },
            { weight: 1, arbitrary: longLine },
          ),
          { maxLength: 15 },
        ),
      )
      .map(([mark, lines]) => Buffer.concat([mark, ...lines]));
  });
  await fc.assert(
    fc.asyncProperty(file, places, fc.constantFrom(0, 0.05, 0.5, 1), async (bytes, cuts, limit) => {
      expect(await read(cutAt(bytes, cuts), limit)).toEqual(readNaively(bytes, segments, limit));
    }),
    { numRuns: 1000 },
  );
});

test('any two lines of awkward pieces read as they do naively', async () => {
  const file = fc
    .tuple(awkwardLine, awkwardLine)
    .map(([a, b]) => Buffer.concat([a, Buffer.from('\n'), b]));
  await fc.assert(
    fc.asyncProperty(file, places, async (bytes, cuts) => {
      expect(await read(cutAt(bytes, cuts), 1)).toEqual(readNaively(bytes, segments, 1));
    }),
    { numRuns: 1000 },
  );
});

test('any bytes give an outcome, the one they give naively', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), places, async (bytes, cuts) => {
      expect(await read(cutAt(bytes, cuts), 1)).toEqual(readNaively(bytes, segments, 1));
    }),
    { numRuns: 300 },
  );
});
