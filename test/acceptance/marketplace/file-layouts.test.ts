import { describe, expect } from 'vitest';
import { device, type Marketplace, rows } from './marketplace.ts';
import { test } from './shared-marketplace.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

const done = { status: 2, errors: null };

describe('a marketplace file', { concurrent: true }, () => {
  test.each([
    ['a header', `id,attribute_ids\n${device(1)},k\n`],
    ['a header of any known name, any case', `GAID,whatever\n${device(1)},k\n`],
    ['tabs', `${device(1)}\tk\n`],
    ['a byte order mark, CRLF and no last newline', `\ufeffid,keys\r\n${device(1)},k`],
    ['blank lines', `\n${device(1)},k\n\n\n`],
    ['quotes', `"${device(1)}","k"\n`],
    ['blanks around a cell', ` ${device(1)} , k \n`],
    ['capitals in an identifier', `${device(0xabc).toUpperCase()},k\n`],
    ['any shape of UUID', 'ffffffff-ffff-ffff-ffff-ffffffffffff,k\n'],
    ['five columns', `${device(1)},1,DE,0,k\n`],
    [
      'five columns, a header and an AAID',
      `id,id_type,country,operation,attribute_ids\n${device(1)},3,us,0,k\n`,
    ],
  ])('may have %s', async (_, content) => {
    const partner = await marketplace.partner('k');
    const log = await partner.importedFile(content);
    expect(log).toMatchObject({ ...done, total_rows: '1', unique_devices: '1' });
    expect(await partner.counts()).toEqual({ k: 1 });
  });

  test.each<[string, string, string | Uint8Array]>([
    ['wrong_columns', 'three columns', `${device(1)},k,x\n`],
    [
      'wrong_columns',
      'another number of columns further down',
      `${rows(1, 99, 'k')}${device(1)}\n`,
    ],
    ['bad_encoding', 'bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x2c, 0x6b, 0x0a])],
    ['unclosed_quote', 'a quote that is not closed', `${device(1)},"k\n${device(2)},k"\n`],
    [
      'line_too_long',
      'a line over 64 KiB',
      `${rows(1, 9, 'k')}${device(1)},${'k|'.repeat(40_000)}k\n`,
    ],
    ['empty_file', 'nothing in it', ''],
    ['empty_file', 'only a header', 'id,attribute_ids\n'],
  ])('fails the import with %s if it has %s', async (code, _, content) => {
    const partner = await marketplace.partner('k');
    await partner.importedFile(rows(900, 901, 'k'));
    const log = await partner.importedFile(content);
    expect(log).toMatchObject({ status: 3, unique_devices: '0' });
    expect(log.errors?.[0]).toMatchObject({
      code,
      file: `${partner.storage.prefix}devices.csv`,
      message: expect.stringMatching(/.{20}/),
    });
    expect(await partner.counts()).toEqual({ k: 2 });
  });

  test.each<[string, string, number, string]>([
    ['malformed_id', 'not-a-device,1,DE,0,k', 1, 'not-a-device'],
    ['hashed_id', `${'a'.repeat(40)},1,DE,0,k`, 1, 'a'.repeat(40)],
    [
      'zeroed_id',
      `${device(0).replace('4000-8', '0000-0')},1,DE,0,k`,
      1,
      '00000000-0000-0000-0000-000000000000',
    ],
    ['unknown_key', `${device(1)},1,DE,0,k|nobody`, 5, 'k|nobody'],
    ['no_keys', `${device(1)},1,DE,0,`, 5, ''],
    ['bad_id_type', `${device(1)},2,DE,0,k`, 2, '2'],
    ['bad_country', `${device(1)},1,DEU,0,k`, 3, 'DEU'],
    ['bad_operation', `${device(1)},1,DE,2,k`, 4, '2'],
  ])(
    'drops a row for %s, and reports its line, column and value',
    async (code, row, column, value) => {
      const partner = await marketplace.partner('k');
      const lines = Array.from({ length: 40 }, (_, i) => `${device(i + 100)},1,DE,0,k`);
      lines.splice(20, 0, row, row);
      const log = await partner.importedFile(lines.join('\n'));
      expect(log).toMatchObject({ status: 2, total_rows: '42', unique_devices: '40' });
      expect(log.errors).toEqual([
        {
          code,
          message: expect.stringMatching(/.{20}/),
          file: `${partner.storage.prefix}devices.csv`,
          line: 21,
          column,
          value,
          count: 2,
        },
      ]);
      expect(await partner.counts()).toEqual({ k: 40 });
    },
  );

  test('may have 5% of its rows rejected, not counting opted-out phones, and fails with more', async () => {
    const partner = await marketplace.partner('k');
    const zeroed = '00000000-0000-0000-0000-000000000000,k\n'.repeat(20);
    const limit = `${rows(1, 75, 'k')}${'bad,k\n'.repeat(5)}${zeroed}`;
    expect(await partner.importedFile(limit)).toMatchObject({
      status: 2,
      total_rows: '100',
      unique_devices: '75',
      errors: [
        { code: 'malformed_id', count: 5 },
        { code: 'zeroed_id', count: 20 },
      ],
    });
    const above = `${rows(101, 194, 'k')}${'bad,k\n'.repeat(6)}`;
    expect(await partner.importedFile(above)).toMatchObject({
      status: 3,
      total_rows: '100',
      unique_devices: '0',
      errors: [
        { code: 'too_many_rejects', line: null },
        { code: 'malformed_id', count: 6 },
      ],
    });
    expect(await partner.counts()).toEqual({ k: 75 });
  });

  test('shows at most 256 characters of a value', async () => {
    const partner = await marketplace.partner('k');
    const log = await partner.importedFile(`${rows(1, 30, 'k')}${'ü'.repeat(300)},k\n`);
    expect(log.errors).toMatchObject([{ value: 'ü'.repeat(256) }]);
  });
});
