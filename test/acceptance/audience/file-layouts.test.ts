import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { device, type Marketplace, rows } from '../marketplace/marketplace.ts';
import { test } from '../marketplace/shared-marketplace.ts';
import { ingestOf } from './ingest.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

async function started(...foreignKeys: string[]) {
  const partner = await marketplace.partner(...foreignKeys);
  return { partner, ingest: ingestOf(partner), file: `${partner.storage.prefix}devices.csv` };
}

describe('an audience file', { concurrent: true }, () => {
  test.each<[string, string | Uint8Array]>([
    ['a header', `idfa,event\n${device(1)},seen\n`],
    ['a header of any known name, any case', `Advertising_ID,whatever\n${device(1)},seen\n`],
    ['tabs', `${device(1)}\tseen\n`],
    ['a byte order mark, CRLF and no last newline', `\ufeffid,event\r\n${device(1)},seen`],
    ['blank lines', `\n${device(1)},seen\n\n\n`],
    ['quotes', `"${device(1)}","seen"\n`],
    ['spaces around a cell', ` ${device(1)} , seen \n`],
    ['capitals in an identifier', `${device(0xabc).toUpperCase()},seen\n`],
    ['any shape of UUID', 'ffffffff-ffff-ffff-ffff-ffffffffffff,seen\n'],
    ['gzip compression', gzipSync(`${device(1)},seen\n`)],
    ['gzip compression in several members', severalMembers(device(1))],
    ['zstd compression', zstdCompressSync(Buffer.from(`${device(1)},seen\n`))],
  ])('may have %s', async (_, content) => {
    const { ingest } = await started();
    const audience = await ingest.loadedFile(content);
    expect(audience).toMatchObject({
      status: 2,
      uploaded_devices: 1,
      unique_devices: 1,
      file: [{ status: 2, rows_uploaded: 1 }],
    });
    expect(await ingest.labels(audience.audience_id)).toEqual({ seen: 1 });
    expect(await ingest.errors(audience.audience_id)).toEqual([]);
  });

  test.each<[string, string, string | Uint8Array]>([
    ['wrong_columns', 'one column', `${device(1)}\n${device(2)}\n`],
    ['wrong_columns', 'three columns', `${device(1)},seen,x\n`],
    ['wrong_columns', 'another number of columns further down', `${rows(1, 99, 'a')}${device(1)}`],
    ['bad_encoding', 'bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x2c, 0x6b, 0x0a])],
    ['unclosed_quote', 'a quote that is not closed', `${device(1)},"a\n${device(2)},b"\n`],
    ['line_too_long', 'a line over 64 KiB', `${rows(1, 9, 'a')}${device(1)},${'a'.repeat(70_000)}`],
    ['empty_file', 'nothing in it', ''],
    ['empty_file', 'only a header', 'id,event\n'],
    ['too_many_rejects', 'identifiers that do not look valid', 'nobody,a\nno-one,a\n'],
    ['bad_compression', 'truncated compression', gzipSync(rows(1, 5_000, 'a')).subarray(0, -9)],
    ['bad_compression', 'corrupt compression', corrupted(gzipSync(rows(1, 5_000, 'a')))],
  ])('fails with %s if it has %s', async (code, _, content) => {
    const { partner, ingest, file } = await started();
    await partner.upload('good.csv', rows(900, 901, 'good'));
    const { audience_id } = await ingest.loaded('good.csv');
    await partner.upload('devices.csv', content);
    expect(await ingest.appended(audience_id, 'devices.csv')).toMatchObject({
      status: 3,
      uploaded_devices: 2,
      unique_devices: 2,
      file: [{ status: 2 }, { s3_path: file, status: 3, rows_uploaded: 0 }],
    });
    expect((await ingest.errors(audience_id))[0]).toMatchObject({
      code,
      file,
      message: expect.stringMatching(/.{20}/),
    });
    expect(await ingest.labels(audience_id)).toEqual({ good: 2 });
  });

  test.each<[string, string]>([
    ['malformed_id', 'not-a-device'],
    ['hashed_id', 'a'.repeat(64)],
    ['zeroed_id', '00000000-0000-0000-0000-000000000000'],
  ])('rejects a row for %s, and reports its line, column and value', async (code, value) => {
    const { ingest, file } = await started();
    const lines = rows(1, 40, 'seen').split('\n');
    lines.splice(20, 0, `${value},bad`, `${value},bad`);
    const audience = await ingest.loadedFile(lines.join('\n'));
    expect(audience).toMatchObject({
      status: 2,
      uploaded_devices: 40,
      unique_devices: 40,
      file: [{ status: 2, rows_uploaded: 40 }],
    });
    expect(await ingest.errors(audience.audience_id)).toEqual([
      {
        code,
        message: expect.stringMatching(/.{20}/),
        file,
        line: 21,
        column: 1,
        value,
        count: 2,
      },
    ]);
    expect(await ingest.labels(audience.audience_id)).toEqual({ seen: 40 });
  });

  test('may have 5% of its rows rejected, not counting opted-out phones, and fails with more', async () => {
    const { partner, ingest } = await started();
    const zeroed = '00000000-0000-0000-0000-000000000000,\n'.repeat(20);
    await partner.upload('at-limit', `${rows(1, 75, '')}${'bad,\n'.repeat(5)}${zeroed}`);
    await partner.upload('beyond', `${rows(101, 194, '')}${'bad,\n'.repeat(6)}`);
    const limit = await ingest.loaded('at-limit');
    expect(limit).toMatchObject({ status: 2, uploaded_devices: 75, unique_devices: 75 });
    expect(await ingest.errors(limit.audience_id)).toMatchObject([
      { code: 'malformed_id', count: 5 },
      { code: 'zeroed_id', count: 20 },
    ]);
    const beyond = await ingest.loaded('beyond');
    expect(beyond).toMatchObject({ status: 3, uploaded_devices: 0, unique_devices: 0 });
    expect(await ingest.errors(beyond.audience_id)).toMatchObject([
      { code: 'too_many_rejects', line: null },
      { code: 'malformed_id', count: 6 },
    ]);
  });
});

function severalMembers(id: string): Uint8Array {
  return Buffer.concat([gzipSync('id,event\n'), gzipSync(`${id},`), gzipSync('seen\n')]);
}

function corrupted(compressed: Buffer): Uint8Array {
  const corrupt = Buffer.from(compressed);
  corrupt.fill(0x55, compressed.length / 2, compressed.length / 2 + 20);
  return corrupt;
}
