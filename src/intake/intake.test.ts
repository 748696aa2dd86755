import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { formatDeviceId } from '../domain/device-id.ts';
import type { ImportProblem } from '../domain/import-problems.ts';
import { createIntake } from './intake.ts';
import { maximumLineBytes } from './report/faults.ts';
import type { NaiveLayout } from './testing/naive-reader.ts';
import { readWhole, type WholeReading } from './testing/read-file.ts';

const intake = createIntake({ threads: 2 });

afterAll(() => intake[Symbol.asyncDispose]());

const one = '11111111-1111-4111-8111-111111111111';
const two = '22222222-2222-4222-8222-222222222222';
const zeroed = '00000000-0000-0000-0000-000000000000';
const segments = new Map([
  ['sport', 1],
  ['news', 2],
  ['food, drink', 3],
]);
const marketplace = { kind: 'marketplace', segments, mode: 'merge' } as const;
const audience = { kind: 'audience', labelLimit: 3 } as const;

/** Reads a file and formats its devices. */
async function read(
  content: string | Uint8Array,
  layout: NaiveLayout = marketplace,
  rejectLimit = 1,
): Promise<Omit<WholeReading, 'rows'> & { rows: unknown[] }> {
  const reading = await readWhole(intake, [Buffer.from(content)], { layout, rejectLimit });
  const rows = reading.rows.map(([device, sign, numbers]) => [
    formatDeviceId(Buffer.from(device, 'hex')),
    sign === '+' ? numbers : { removed: numbers },
  ]);
  return { ...reading, rows };
}

function places(problems: readonly ImportProblem[]): unknown[] {
  return problems.map(({ code, line, column, value, count }) => [code, line, column, value, count]);
}

describe('the short marketplace layout', () => {
  test('each row yields its device and its segments', async () => {
    const { rows, ...reading } = await read(`${one},sport|news\n${two.toUpperCase()},news\n`);
    expect(reading).toEqual({
      outcome: 'read',
      totalRows: 2,
      rejectedRows: 0,
      validRows: 2,
      problems: [],
      rejects: [],
      labels: [],
      bytesRead: 90,
    });
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
  ])('reads %s', async (_, line, numbers) => {
    expect((await read(line)).rows).toEqual([[one, numbers]]);
  });

  test('the first line that is not blank determines the delimiter', async () => {
    const { problems, rows } = await read(`\t\n${one},sport\n${two}\tsport\n`);
    expect(rows).toEqual([[one, [1]]]);
    expect(places(problems)).toEqual([['wrong_columns', 3, 2, null, 1]]);
  });
});

describe('the long marketplace layout', () => {
  const header = 'id,id_type,country,operation,attribute_ids\n';

  test('adds and removes', async () => {
    const { rows, problems } = await read(
      `${header}${one},1,DE,0,sport\n${one},3,fr,1,news|sport\n${two},"1", us ,1,\n`,
    );
    expect(problems).toEqual([]);
    expect(rows).toEqual([
      [one, [1]],
      [one, { removed: [2, 1] }],
      [two, { removed: [] }],
    ]);
  });

  test.each([
    ['malformed_id', 'x,2,DEU,2,nothing', 1, 'x'],
    ['bad_id_type', `${one},2,DEU,2,nothing`, 2, '2'],
    ['bad_id_type', `${one},,DE,0,sport`, 2, ''],
    ['bad_country', `${one},1,DEU,2,nothing`, 3, 'DEU'],
    ['bad_country', `${one},1,Dé,0,sport`, 3, 'Dé'],
    ['bad_operation', `${one},1,DE,2,nothing`, 4, '2'],
    ['bad_operation', `${one},1,DE,add,sport`, 4, 'add'],
    ['unknown_key', `${one},1,DE,0,nothing`, 5, 'nothing'],
    ['unknown_key', `${one},1,DE,1,nothing`, 5, 'nothing'],
    ['no_keys', `${one},1,DE,0,`, 5, ''],
    ['no_keys', `${one},1,DE,1,||`, 5, '||'],
  ])('%s: %s', async (code, line, column, value) => {
    const { problems, outcome } = await read(`${two},1,DE,0,news\n${line}\n`);
    expect(outcome).toBe('read');
    expect(places(problems)).toEqual([[code, 2, column, value, 1]]);
  });

  test('a removal in mode replace fails the file', async () => {
    const content = `${one},1,DE,0,sport\nbad,1,DE,1,sport\n${two},1,DE,1,nothing\n`;
    const reading = await read(content, { ...marketplace, mode: 'replace' });
    expect(reading).toMatchObject({ outcome: 'failed', totalRows: 2, rejectedRows: 1 });
    expect(places(reading.problems)).toEqual([
      ['malformed_id', 2, 1, 'bad', 1],
      ['removal_in_replace', 3, 4, '1', 1],
    ]);
  });

  test('the first line determines the number of columns', async () => {
    const long = await read(`${one},1,DE,0,sport\n${two},news\n`);
    expect(places(long.problems)).toEqual([['wrong_columns', 2, 3, null, 1]]);
    const short = await read(`${two},news\n${one},1,DE,0,sport\n`);
    expect(places(short.problems)).toEqual([['wrong_columns', 2, 3, 'DE', 1]]);
  });

  test.each([
    ['id', 2, null],
    ['id,a,b', 3, 'b'],
    ['id,a,b,c', 3, 'b'],
    ['id,a,b,c,d,e', 6, 'e'],
  ])('a first line %s matches neither layout', async (line, column, value) => {
    const { problems } = await read(`${line}\n`);
    expect(places(problems)).toEqual([['wrong_columns', 1, column, value, 1]]);
    expect(problems[0]?.message).toContain('instead of 2 or 5');
  });

  test.each([
    [`id;attribute_ids\n${one};sport\n`, 'semicolon', ';'],
    [`\n"${one}";"1";"DE";"0";"sport"\n`, 'semicolon', ';'],
    [`${one}|sport|news\n`, 'pipe', '|'],
  ])('another separator is recognized: %j', async (content, name, separator) => {
    const { outcome, problems } = await read(content);
    expect(outcome).toBe('failed');
    expect(problems).toMatchObject([
      {
        code: 'wrong_columns',
        message: `This file looks ${name}-separated; use commas or tabs.`,
        column: null,
        value: separator,
      },
    ]);
  });

  test('a semicolon in a line without devices is not taken for a separator', async () => {
    const { problems } = await read('a;b\n');
    expect(problems[0]?.message).toContain('The line has 1 column instead of 2 or 5');
  });
});

describe('the audience layout', () => {
  test('labels are numbered in order of first occurrence', async () => {
    const { rows, labels } = await read(
      `maid,event\n${one},view\n${two}, buy \n${one},\n${two},view\n${one},"say ""hi"""\n`,
      audience,
    );
    expect(labels).toEqual(['view', 'buy', 'say "hi"']);
    expect(rows).toEqual([
      [one, [0]],
      [two, [1]],
      [one, []],
      [two, [0]],
      [one, [2]],
    ]);
  });

  test('a row is never rejected for its label', async () => {
    const long = 'é'.repeat(129);
    const { rows, problems, outcome } = await read(
      `${one},a\n${one},${long}\n${one},b\n${one},c\n${two},d\n${two},e\n${two},d\n${two},a\n`,
      audience,
    );
    expect(outcome).toBe('read');
    expect(rows).toEqual([
      [one, [0]],
      [one, []],
      [one, [1]],
      [one, [2]],
      [two, []],
      [two, []],
      [two, []],
      [two, [0]],
    ]);
    expect(places(problems)).toEqual([
      ['label_too_long', 2, 2, long, 1],
      ['too_many_labels', 5, 2, 'd', 3],
    ]);
  });

  test('the label of a rejected row is ignored', async () => {
    const { labels, problems } = await read(`bad,${'x'.repeat(300)}\n?,a\n${one},b\n`, audience);
    expect(labels).toEqual(['b']);
    expect(places(problems)).toEqual([['malformed_id', 1, 1, 'bad', 2]]);
  });

  test.each([`${one}`, `${one},a,b`, `${one},1,DE,0,a`])('%s fails the file', async (line) => {
    const { outcome, problems } = await read(`${two},a\n${line}\n`, audience);
    expect(outcome).toBe('failed');
    expect(problems.map(({ code }) => code)).toEqual(['wrong_columns']);
  });

  test('a header must have the right number of columns', async () => {
    const { problems } = await read('id,id_type,country,operation,attribute_ids\n', audience);
    expect(places(problems)).toEqual([['wrong_columns', 1, 3, 'country', 1]]);
    expect(problems[0]?.message).toContain('has 5 columns instead of 2');
  });
});

describe('headers', () => {
  test.each([
    'id device_id deviceid maid ifa idfa aaid gaid advertising_id ad_id'.split(' '),
    ['IDFA', 'Device_ID', '"id"', ' id '],
  ])('a first line that begins with %s, %s, … is a header', async (...names) => {
    for (const name of names) {
      const { totalRows, rows } = await read(`\ufeff\n${name},attribute_ids\n${one},sport\n`);
      expect({ totalRows, rows }).toEqual({ totalRows: 1, rows: [[one, [1]]] });
    }
  });

  test('only the first line can be a header, and only with these names', async () => {
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
    const reading = await read(`${two},news\n\n${line}\r\n${two},news\n`);
    expect(places(reading.problems)).toEqual([[code, 3, column, value, 1]]);
    expect(reading).toMatchObject({ outcome: 'read', totalRows: 3, rejectedRows: 1, validRows: 2 });
    expect(reading.rows).toEqual([
      [two, [2]],
      [two, [2]],
    ]);
    expect(reading.rejects).toEqual([[3, code, line]]);
  });

  test('each kind is reported once, with its first occurrence and its count', async () => {
    const { problems } = await read(`${one},x\n?,sport\n${one},y\n${two},sport\n!,sport\n-,sport`);
    expect(places(problems)).toEqual([
      ['unknown_key', 1, 2, 'x', 2],
      ['malformed_id', 2, 1, '?', 3],
    ]);
    expect(problems.map((problem) => problem.file)).toEqual(Array(2).fill('acme/devices.csv'));
  });

  test('the message names the key, cut like the value', async () => {
    const { problems } = await read(`${one},sport|${'y'.repeat(1000)}`);
    expect(problems[0]?.message).toContain(`"${'y'.repeat(256)}"`);
    expect(problems[0]?.value).toBe(`sport|${'y'.repeat(250)}`);
  });

  test('the first 10,000 are reported, each with up to 1 KiB of its bytes', async () => {
    const line = `"caf\u00e9",${'x'.repeat(2000)}`;
    const { rejects, rejectedRows } = await read(`${one},sport\n${`${line}\r\n`.repeat(10_050)}`);
    expect(rejectedRows).toBe(10_050);
    expect(rejects).toHaveLength(10_000);
    const original = Buffer.from(line).subarray(0, 1024).toString('latin1');
    expect(rejects[0]).toEqual([2, 'malformed_id', original]);
    expect(rejects.at(-1)).toEqual([10_001, 'malformed_id', original]);
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
    ['at a limit without an exact double', 71, 29, 0, 0.29],
    ['opted-out devices are not faults', 19, 1, 20, 0.05],
    ['opted-out devices count as rows', 0, 1, 19, 0.05],
    ['only opted-out devices', 0, 0, 3, 0],
  ])('is met: %s', async (_, good, bad, optedOut, limit) => {
    const reading = await read(rowsOf(good, bad, optedOut), marketplace, limit);
    expect(reading).toMatchObject({
      outcome: 'read',
      totalRows: good + bad + optedOut,
      rejectedRows: bad + optedOut,
    });
    expect(reading.rows).toHaveLength(good);
  });

  test('is checked at the end of the file', async () => {
    const reading = await read(rowsOf(18, 1, 0), marketplace, 0.05);
    expect(reading).toMatchObject({ outcome: 'failed', totalRows: 19, rejectedRows: 1 });
    expect(places(reading.problems)).toEqual([
      ['malformed_id', 1, 1, 'bad', 1],
      ['too_many_rejects', null, null, null, 1],
    ]);
    expect(reading.problems[1]?.message).toContain(
      '1 of 19 rows (5.27%) were rejected; the limit is 5%',
    );
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
    ['Latin-1 in a key', Buffer.from(`${one},caf\xe9`, 'latin1'), 'bad_encoding', null, null],
    ['a long line', 'x'.repeat(maximumLineBytes + 1), 'line_too_long', null, null],
    ['a long row', `${one},${'sport|'.repeat(11_000)}`, 'line_too_long', null, null],
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

  test.each(['', '\ufeff', '\n \r\n\t', 'id,attribute_ids', 'id,attribute_ids\n\n'])(
    '%j has no data rows',
    async (content) => {
      const { outcome, totalRows, problems } = await read(content);
      expect({ outcome, totalRows }).toEqual({ outcome: 'failed', totalRows: 0 });
      expect(places(problems)).toEqual([['empty_file', null, null, null, 1]]);
    },
  );

  test.each([
    ['not_compressed', `${one},sport\n`, true],
    ['bad_compression', gzipSync(`${one},sport\n`), false],
    ['bad_compression', gzipSync(`${one},sport\n`).subarray(0, -1), true],
  ])('%s', async (code, content, compressed) => {
    const bytes = Buffer.from(content);
    const reading = await readWhole(intake, [bytes], { layout: marketplace, compressed });
    expect(reading.outcome).toBe('failed');
    expect(places(reading.problems)).toEqual([[code, null, null, null, 1]]);
  });

  test('problems in the lines before damage are reported first', async () => {
    const lines = `bad,sport\n${`${one},sport\n`.repeat(100_000)}`;
    const damaged = Buffer.concat([gzipSync(lines), Buffer.from('more')]);
    const pieces = [damaged.subarray(0, -4), damaged.subarray(-4)];
    const { problems } = await readWhole(intake, pieces, { layout: marketplace });
    expect(places(problems)).toEqual([
      ['malformed_id', 1, 1, 'bad', 1],
      ['bad_compression', null, null, null, 1],
    ]);
    const wrong = Buffer.concat([gzipSync(`one column\n${lines}`), Buffer.from('more')]);
    const failed = await readWhole(intake, [wrong.subarray(0, -4), wrong.subarray(-4)], {
      layout: marketplace,
    });
    expect(failed.problems.map(({ code }) => code)).toEqual(['wrong_columns']);
  });
});
