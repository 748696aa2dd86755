import fc from 'fast-check';
import type { NaiveLayout } from './naive-reader.ts';

// Generators of ordinary and of deliberately awkward files.

export const segments: ReadonlyMap<string, number> = new Map([
  ['7', 0],
  ['07', 1],
  ['seven', 0],
  ['a "b"', 2],
  ['"', 3],
  ['x,y', 4],
  ['x\ty', 5],
  ['Zürich 😀', 6],
  [' blanks ', 7],
  ['1234', 8],
  ['12345678', 9],
  ['a key of more than eight bytes', 10],
  ['end', 11],
  ['end ', 12],
]);

export const layouts: readonly NaiveLayout[] = [
  { kind: 'audience', labelLimit: 4 },
  { kind: 'marketplace', segments, mode: 'merge' },
  { kind: 'marketplace', segments, mode: 'replace' },
];

export const delimiters = fc.constantFrom(',', '\t');
export const marks = fc.constantFrom('', '', '\ufeff');
const someBlanks = fc.constantFrom('', '', '', '', '', ' ', '   ');
const lineEnds = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r\n', '\n\n\n\n\n\n', '\r\n \t\r\n');

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

/** A row with its expected outcome. */
export interface MadeRow {
  readonly cells: readonly string[];
  readonly outcome: string;
}

function made(outcome: string, ...cells: fc.Arbitrary<string>[]): fc.Arbitrary<MadeRow> {
  return fc.record({ cells: fc.tuple(...cells), outcome: fc.constant(outcome) });
}

const badIds = fc.constantFrom('-', 'n/a', '1234-5678', '"', '\0', 'é');
const zeroed = fc.constant('00000000-0000-0000-0000-000000000000');
const unknownKeys = fc.constantFrom('8', '7|SEVEN', '7|seven |07', '\0', '\ufffd', '7\r7', '123');
const noKeys = fc.constantFrom('', '|', '|||');
const idTypes = fc.constantFrom('1', '3');
const countries = fc.constantFrom('DE', 'us', 'Fr');
const anyMiddle = [idTypes, countries, fc.constant('0')] as const;

const labels = fc.oneof(
  fc.constantFrom(
    '',
    'view',
    'purchase',
    'add to cart',
    'Ansicht ä',
    '見',
    'a',
    'ab',
    'abc',
    '"q"',
  ),
  fc.constantFrom('x'.repeat(256), 'x'.repeat(257), 'é'.repeat(128), 'é'.repeat(129)),
);

const audienceRow = fc.oneof(
  { weight: 12, arbitrary: made('accepted', device, labels) },
  made('malformed_id', badIds, labels),
  made('hashed_id', hash, labels),
  made('zeroed_id', zeroed, labels),
);

export const shortRow = fc.oneof(
  { weight: 10, arbitrary: made('accepted', device, someKeys) },
  made('malformed_id', badIds, someKeys),
  made('hashed_id', hash, someKeys),
  made('zeroed_id', zeroed, someKeys),
  made('unknown_key', device, unknownKeys),
  made('no_keys', device, noKeys),
);

const longRow = fc.oneof(
  { weight: 10, arbitrary: made('accepted', device, ...anyMiddle, someKeys) },
  made('removed', device, idTypes, countries, fc.constant('1'), fc.oneof(someKeys, noKeys)),
  made('malformed_id', badIds, ...anyMiddle, someKeys),
  made('bad_id_type', device, fc.constantFrom('', '2', '01', 'IDFA'), countries, labels, someKeys),
  made('bad_country', device, idTypes, fc.constantFrom('', 'D', 'DEU', 'é', 'D1'), labels, noKeys),
  made('bad_operation', device, idTypes, countries, fc.constantFrom('', '2', '-1', 'a'), noKeys),
  made('unknown_key', device, ...anyMiddle, unknownKeys),
  made('no_keys', device, ...anyMiddle, noKeys),
);

/** A cell as a partner might write it: quoted where necessary, and sometimes anyway. */
function written(cell: string, delimiter: string): fc.Arbitrary<string> {
  const mustQuote = cell.includes(delimiter) || /^[" \t]|[ \t]$/.test(cell);
  const quoted = mustQuote ? fc.constant(true) : fc.constantFrom(false, false, false, true);
  return fc
    .tuple(someBlanks, quoted, someBlanks)
    .map(([before, isQuoted, after]) =>
      [before, isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell, after].join(''),
    );
}

export function writtenRow({ cells }: MadeRow, delimiter: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.tuple(...cells.map((cell) => written(cell, delimiter))), lineEnds)
    .map(([texts, end]) => `${texts.join(delimiter)}${end}`);
}

const awkward = fc.oneof(
  fc.constantFrom(',', '\t', '"', '""', ' ', '|', '\r', '\n', '\r\n', '\ufeff', '\0', 'é', '😀'),
  fc.constantFrom('id', 'IDFA', ...segments.keys()),
  device,
  hash,
);
export const awkwardLine = fc
  .array(awkward, { maxLength: 8 })
  .map((pieces) => Buffer.from(pieces.join('')));
const brokenBytes = fc.uint8Array({ maxLength: 8 });
const brokenCell = fc
  .tuple(device, delimiters, fc.uint8Array({ minLength: 1, maxLength: 9 }))
  .map(([id, delimiter, bytes]) =>
    Buffer.concat([Buffer.from(id + delimiter), bytes, Buffer.from('\n')]),
  );
const longLine = fc
  .tuple(fc.integer({ min: 65_530, max: 65_540 }), fc.constantFrom(',', ' ', '|'))
  .map(([length, filling]) => Buffer.alloc(length, filling));

const headers = fc.constantFrom('', '', 'id', '"Advertising_ID"', 'MAID');

/** Mostly rows of one layout, with some arbitrary lines. */
export function anyFile(kind: NaiveLayout['kind']): fc.Arbitrary<Buffer> {
  const kinds = kind === 'audience' ? [audienceRow] : [shortRow, longRow];
  return fc
    .tuple(delimiters, fc.constantFrom(...kinds), headers)
    .chain(([delimiter, row, header]) => {
      const line = row
        .chain((made) => writtenRow(made, delimiter))
        .map((text) => Buffer.from(text));
      const columns = row === longRow ? 5 : 2;
      const first = header && `${[header, ...Array(columns - 1).fill('?')].join(delimiter)}\n`;
      const lines = fc.array(
        fc.oneof(
          { weight: 90, arbitrary: line },
          { weight: 3, arbitrary: awkwardLine },
          { weight: 1, arbitrary: brokenBytes },
          { weight: 1, arbitrary: brokenCell },
          { weight: 1, arbitrary: longLine },
        ),
        { maxLength: 25 },
      );
      return fc
        .tuple(marks, lines)
        .map(([mark, parts]) => Buffer.concat([Buffer.from(mark + first), ...parts]));
    });
}

/** The bytes in pieces, some of them empty, cut at arbitrary positions. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length));
}
