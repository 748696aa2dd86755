import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { formatDeviceId } from '../domain/device-id.ts';
import type { ImportProblem } from '../domain/import-problems.ts';
import { maximumLineBytes } from './lines.ts';
import { type FileReading, readMarketplaceFile } from './read-marketplace-file.ts';

const one = '11111111-1111-4111-8111-111111111111';
const two = '22222222-2222-4222-8222-222222222222';
const zeroed = '00000000-0000-0000-0000-000000000000';
const segments = new Map([
  ['sport', 1],
  ['news', 2],
  ['food, drink', 3],
]);

interface Read extends FileReading {
  readonly rows: (readonly [device: string, segmentIds: readonly number[]])[];
}

async function read(content: string | Uint8Array, rejectLimit = 1): Promise<Read> {
  const rows: Read['rows'] = [];
  const reading = await readMarketplaceFile(
    Readable.from([Buffer.from(content)]),
    { file: 'acme/devices.csv', segmentOf: (key) => segments.get(key), rejectLimit },
    (device, segmentIds) => rows.push([formatDeviceId(device), segmentIds]),
  );
  return { ...reading, rows };
}

function places(problems: readonly ImportProblem[]): unknown[] {
  return problems.map(({ code, line, column, value, count }) => [code, line, column, value, count]);
}

describe('layout', () => {
  test('each row hands over its device and its segments', async () => {
    const { rows, ...reading } = await read(`${one},sport|news\n${two.toUpperCase()},news\n`);
    expect(reading).toEqual({ outcome: 'read', totalRows: 2, rejectedRows: 0, problems: [] });
    expect(rows).toEqual([
      [one, [1, 2]],
      [two, [2]],
    ]);
  });

  test.each([
    ['commas', `${one},"food, drink"`, [3]],
    ['tabs', `${one}\tfood, drink`, [3]],
    ['quotes and blanks', ` "${one}" ,\t"sport|news"  `, [1, 2]],
    ['a key twice', `${one},sport|sport||`, [1]],
  ])('reads %s', async (_, line, segmentIds) => {
    expect((await read(line)).rows).toEqual([[one, segmentIds]]);
  });

  test('the first line settles the delimiter, and blank lines before it do not', async () => {
    const { problems, rows } = await read(`\t\n${one},sport\n${two}\tsport\n`);
    expect(rows).toEqual([[one, [1]]]);
    expect(places(problems)).toEqual([['wrong_columns', 3, 2, null, 1]]);
  });

  test.each([
    'id device_id deviceid maid ifa idfa aaid gaid advertising_id ad_id'.split(' '),
    ['IDFA', 'Device_ID', '"id"', ' id '],
  ])('a first line that begins with %s, %s, … is a header', async (...names) => {
    for (const name of names) {
      const { totalRows, rows } = await read(`\ufeff\n${name},attribute_ids\n${one},sport\n`);
      expect({ totalRows, rows }).toEqual({ totalRows: 1, rows: [[one, [1]]] });
    }
  });

  test('only the first line is a header, and only by these names', async () => {
    const { problems } = await read(`identifier,keys\nid,attribute_ids\n${one},sport\n`);
    expect(places(problems)).toEqual([['malformed_id', 1, 1, 'identifier', 2]]);
  });
});

describe('rejected rows', () => {
  test.each([
    ['malformed_id', `${one}1,sport`, 1, `${one}1`],
    ['malformed_id', ',sport', 1, ''],
    ['malformed_id', `" ${one}",sport`, 1, ` ${one}`],
    ['hashed_id', `${'Ab'.repeat(32)},sport`, 1, 'Ab'.repeat(32)],
    ['zeroed_id', `${zeroed},sport`, 1, zeroed],
    ['zeroed_id', `${zeroed},`, 1, zeroed],
    ['unknown_key', `${one},sport|Sport|news`, 2, 'sport|Sport|news'],
    ['unknown_key', `${one},sport| news`, 2, 'sport| news'],
    ['no_keys', `${one},`, 2, ''],
    ['no_keys', `${one}, || `, 2, '||'],
  ])('%s: %s', async (code, line, column, value) => {
    const { rows, outcome, totalRows, rejectedRows, problems } = await read(
      `${two},news\n\n${line}\n${two},news\n`,
    );
    expect(places(problems)).toEqual([[code, 3, column, value, 1]]);
    expect({ outcome, totalRows, rejectedRows }).toEqual({
      outcome: 'read',
      totalRows: 3,
      rejectedRows: 1,
    });
    expect(rows).toEqual([
      [two, [2]],
      [two, [2]],
    ]);
  });

  test('each kind is reported once, where it occurred first, with its count', async () => {
    const { problems } = await read(`${one},x\n?,sport\n${one},y\n${two},sport\n!,sport\n-,sport`);
    expect(places(problems)).toEqual([
      ['unknown_key', 1, 2, 'x', 2],
      ['malformed_id', 2, 1, '?', 3],
    ]);
    expect(problems.map((problem) => problem.file)).toEqual(Array(2).fill('acme/devices.csv'));
  });

  test('the message names the unknown key, cut like the value', async () => {
    const { problems } = await read(`${one},sport|${'y'.repeat(1000)}`);
    expect(problems[0]?.message).toContain(`"${'y'.repeat(256)}"`);
    expect(problems[0]?.value).toBe(`sport|${'y'.repeat(250)}`);
  });
});

describe('the limit of rejected rows', () => {
  function rowsOf(good: number, bad: number, optedOut: number): string {
    return (
      `${zeroed},sport\n`.repeat(optedOut) +
      'bad,sport\n'.repeat(bad) +
      `${one},news\n`.repeat(good)
    );
  }

  test.each([
    ['at the limit', 19, 1, 0, 0.05],
    ['at a limit that is no exact double', 71, 29, 0, 0.29],
    ['opted-out phones are no faults', 19, 1, 20, 0.05],
    ['opted-out phones are rows', 0, 1, 19, 0.05],
    ['nothing but opted-out phones', 0, 0, 3, 0],
  ])('is kept: %s', async (_, good, bad, optedOut, limit) => {
    const reading = await read(rowsOf(good, bad, optedOut), limit);
    expect(reading).toMatchObject({
      outcome: 'read',
      totalRows: good + bad + optedOut,
      rejectedRows: bad + optedOut,
    });
    expect(reading.rows).toHaveLength(good);
  });

  test('is judged at the end of the file', async () => {
    const reading = await read(rowsOf(18, 1, 0), 0.05);
    expect(reading).toMatchObject({ outcome: 'failed', totalRows: 19, rejectedRows: 1 });
    expect(places(reading.problems)).toEqual([
      ['malformed_id', 1, 1, 'bad', 1],
      ['too_many_rejects', null, null, null, 1],
    ]);
    expect(reading.problems[1]?.message).toContain('1 of 19 rows were rejected, where at most 5%');
  });
});

describe('failed files', () => {
  test.each([
    ['three columns', `${one},sport,news`, 'wrong_columns', 3, 'news'],
    ['one column', one, 'wrong_columns', 2, null],
    ['an open quote', `${one},"sport`, 'unclosed_quote', 2, '"sport'],
    ['a line break in quotes', `"${one}\n",sport`, 'unclosed_quote', 1, `"${one}`],
    ['text after a quote', `${one},"spo"rt`, 'unclosed_quote', 2, '"spo"rt'],
    ['Latin-1', Buffer.from('caf\xe9,sport', 'latin1'), 'bad_encoding', null, null],
    ['a long line', 'x'.repeat(maximumLineBytes + 1), 'line_too_long', null, null],
  ])('%s', async (_, line, code, column, value) => {
    const head = Buffer.from(`id,keys\n${one},sport\n\nbad,sport\n`);
    const reading = await read(
      Buffer.concat([head, Buffer.from(line), Buffer.from(`\n${two},sport\n`)]),
    );
    expect(reading).toMatchObject({ outcome: 'failed', totalRows: 2, rejectedRows: 1 });
    expect(places(reading.problems)).toEqual([
      ['malformed_id', 4, 1, 'bad', 1],
      [code, 5, column, value, 1],
    ]);
    expect(reading.rows).toEqual([[one, [1]]]);
  });

  test('a header is held to the columns too', async () => {
    const { problems } = await read('id,id_type,country,operation,attribute_ids\n');
    expect(places(problems)).toEqual([['wrong_columns', 1, 3, 'country', 1]]);
    expect(problems[0]?.message).toContain('has 5 columns and not 2');
  });

  test.each(['', '\ufeff', '\n \r\n\t', 'id,attribute_ids', 'id,attribute_ids\n\n'])(
    '%j has no data row',
    async (content) => {
      const { outcome, totalRows, problems } = await read(content);
      expect({ outcome, totalRows }).toEqual({ outcome: 'failed', totalRows: 0 });
      expect(places(problems)).toEqual([['empty_file', null, null, null, 1]]);
    },
  );

  test('a failure stops the reading and closes the source', async () => {
    let closed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('no columns\n');
        throw new Error('read on');
      } finally {
        closed = true;
      }
    }
    const options = { file: 'f', segmentOf: () => 1, rejectLimit: 0 };
    expect((await readMarketplaceFile(source(), options, () => {})).outcome).toBe('failed');
    expect(closed).toBe(true);
  });
});

test('an error of the source is thrown on, not taken for the end of the file', async () => {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${one},sport\n`);
    throw new Error('storage is gone');
  }
  const options = { file: 'f', segmentOf: () => 1, rejectLimit: 0 };
  await expect(readMarketplaceFile(source(), options, () => {})).rejects.toThrow('storage is gone');
});
