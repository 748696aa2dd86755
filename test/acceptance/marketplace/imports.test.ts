import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { device, type Marketplace, rows } from './marketplace.ts';
import { test } from './shared-marketplace.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

const done = { status: 2, errors: null };

describe('file_path', { concurrent: true }, () => {
  test("is relative to the partner's prefix, without the bucket name and the prefix", async () => {
    const acme = await marketplace.partner('k');
    const bravo = await marketplace.partner('k');
    await acme.upload('day/devices.csv', rows(1, 3, 'k'));
    await bravo.upload('day/devices.csv', rows(1, 5, 'k'));
    expect(await acme.imported('day/devices.csv')).toMatchObject({ ...done, unique_devices: '3' });
    expect(await bravo.imported('/day/devices.csv')).toMatchObject({ ...done, total_rows: '5' });
    const full = await acme.imported(`${acme.storage.prefix}day/devices.csv`);
    expect(full).toMatchObject({ status: 3, errors: [{ code: 'no_files' }] });
  });

  test('may be a prefix, which loads all files under it in key order, except folder markers', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('day/', '');
    await partner.upload('day/2.csv', `${rows(3, 40, 'k')}bad,k\n`);
    await partner.upload('day/1.csv', `bad,k\n${rows(1, 30, 'k')}`);
    await partner.upload('days.csv', rows(100, 119, 'k'));
    const folder = await partner.imported('day/');
    const file = (name: string) => `${partner.storage.prefix}${name}`;
    expect(folder).toMatchObject({ status: 2, total_rows: '70', unique_devices: '40' });
    expect(folder.errors?.map((error) => error.file)).toEqual([
      file('day/1.csv'),
      file('day/2.csv'),
    ]);
    // A prefix in S3's own sense: no "/" is implied.
    expect(await partner.imported('day')).toMatchObject({ total_rows: '90', unique_devices: '60' });
    expect(await partner.counts()).toEqual({ k: 60 });
  });

  test('that names an object exactly loads only that file', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('a', rows(1, 2, 'k'));
    await partner.upload('a.more', rows(3, 9, 'k'));
    expect(await partner.imported('a')).toMatchObject({ ...done, total_rows: '2' });
  });

  test('is looked up when the job starts', async () => {
    const partner = await marketplace.partner('k');
    const lane = await partner.held();
    const later = await partner.queue('later.csv');
    await partner.upload('later.csv', rows(1, 5, 'k'));
    lane.release();
    expect(await partner.ended(later)).toMatchObject({ ...done, total_rows: '5' });
  });

  test('that matches no file ends in status 3, no_files', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('empty/', '');
    for (const filePath of ['nothing.csv', 'empty/']) {
      const log = await partner.imported(filePath);
      expect(log).toMatchObject({ status: 3, total_rows: '0', unique_devices: '0' });
      expect(log.errors).toEqual([
        {
          code: 'no_files',
          message: expect.stringContaining(filePath),
          file: null,
          line: null,
          column: null,
          value: null,
          count: 1,
        },
      ]);
    }
  });
});

describe('key_type', { concurrent: true }, () => {
  test('0 names attributes by their attribute_id', async () => {
    const partner = await marketplace.partner('a', 'b');
    const [a, b] = partner.attributeIds;
    const log = await partner.importedFile(`${device(1)},${a}|${b}\n${device(2)},${b}\n`, {
      key_type: 0,
    });
    expect(log).toMatchObject({ ...done, key_type: 0, unique_devices: '2' });
    expect(await partner.counts()).toEqual({ a: 1, b: 2 });
  });

  test('1 names attributes by partner_foreign_key, which must exist before the import', async () => {
    const partner = await marketplace.partner('a');
    const file = `${device(1)},a|b\n`;
    expect(await partner.importedFile(file)).toMatchObject({
      status: 3,
      unique_devices: '0',
      errors: [{ code: 'too_many_rejects' }, { code: 'unknown_key', value: 'a|b', column: 2 }],
    });
    await partner.attributes('b');
    expect(await partner.imported('devices.csv')).toMatchObject(done);
    expect(await partner.counts()).toEqual({ a: 1, b: 1 });
  });

  test("never matches another partner's IDs and keys", async () => {
    const acme = await marketplace.partner('k');
    const bravo = await marketplace.partner('other');
    const byId = await bravo.importedFile(`${device(1)},${acme.attributeIds[0]}\n`, {
      key_type: 0,
    });
    expect(byId).toMatchObject({ status: 3, errors: [{}, { code: 'unknown_key' }] });
    expect(await bravo.importedFile(rows(1, 1, 'k'))).toMatchObject({ status: 3 });
    expect(await acme.counts()).toEqual({ k: 0 });
  });
});

describe('compressed', { concurrent: true }, () => {
  const text = rows(1, 50, 'k');

  test('omitted, a .gz file is compressed, and so is any file with compressed content', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('one.csv.gz', gzipSync(text));
    await partner.upload('two.csv', zstdCompressSync(Buffer.from(text)));
    await partner.upload('three.csv.gz', text);
    for (const name of ['one.csv.gz', 'two.csv', 'three.csv.gz']) {
      expect(await partner.imported(name)).toMatchObject({ ...done, total_rows: '50' });
    }
  });

  test('omitted with a prefix, the content of each file decides', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('day/1', gzipSync(text));
    await partner.upload('day/2', text);
    expect(await partner.imported('day/')).toMatchObject({ ...done, total_rows: '100' });
  });

  test('true means gzip and false means plain; any other file is an error', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('plain', text);
    await partner.upload('gzip', gzipSync(text));
    expect(await partner.imported('gzip', { compressed: true })).toMatchObject(done);
    expect(await partner.imported('plain', { compressed: false })).toMatchObject(done);
    expect(await partner.imported('plain', { compressed: true })).toMatchObject({
      status: 3,
      errors: [{ code: 'not_compressed' }],
    });
    const wrong = await partner.imported('gzip', { compressed: false });
    expect(wrong.status).toBe(3);
    expect(wrong.errors?.[0]?.message).toMatch(/compressed/);
  });

  test('fails a file with truncated or corrupt compression', async () => {
    const partner = await marketplace.partner('k');
    const whole = gzipSync(rows(1, 5_000, 'k'));
    const corrupt = Buffer.from(whole);
    corrupt.fill(0x55, whole.length / 2, whole.length / 2 + 20);
    for (const content of [whole.subarray(0, -9), corrupt]) {
      const log = await partner.importedFile(content);
      expect(log.errors?.[0]).toMatchObject({ code: 'bad_compression' });
      expect(log.status).toBe(3);
    }
    expect(await partner.counts()).toEqual({ k: 0 });
  });
});

describe('one import', { concurrent: true }, () => {
  test('counts each device once', async () => {
    const partner = await marketplace.partner('a', 'b');
    await partner.importedFile(rows(1, 10, 'a') + rows(1, 10, 'a'));
    const log = await partner.importedFile(rows(6, 15, 'a|b|a'));
    expect(log).toMatchObject({ ...done, total_rows: '10', unique_devices: '10' });
    expect(await partner.counts()).toEqual({ a: 15, b: 10 });
  });

  test('is atomic: one failed file fails the import, and nothing is applied', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('day/1.csv', rows(1, 20, 'k'));
    await partner.upload('day/2.csv', 'one,two,three\n');
    await partner.upload('day/3.csv', rows(21, 40, 'k'));
    const log = await partner.imported('day/');
    expect(log).toMatchObject({ status: 3, unique_devices: '0', total_rows: '20' });
    expect(log.errors).toMatchObject([
      { code: 'wrong_columns', file: `${partner.storage.prefix}day/2.csv`, line: 1 },
    ]);
    expect(await partner.counts()).toEqual({ k: 0 });
  });

  test('never shows half of its result', async () => {
    const partner = await marketplace.partner('a', 'b');
    await partner.upload('big.csv', rows(1, 40_000, 'a|b'));
    const id = await partner.queue('big.csv');
    const seen = new Set<string>();
    for (let status = 0; status < 2; ) {
      ({ status } = await partner.log(id));
      seen.add(JSON.stringify(await partner.counts()));
    }
    seen.add(JSON.stringify(await partner.counts()));
    expect(seen.size).toBeLessThanOrEqual(2);
    expect([...seen].at(-1)).toBe(JSON.stringify({ a: 40_000, b: 40_000 }));
    expect(['{"a":0,"b":0}', '{"a":40000,"b":40000}']).toEqual(expect.arrayContaining([...seen]));
  });

  test('applies all removals before all additions, in any order of rows', async () => {
    const partner = await marketplace.partner('a', 'b');
    await partner.importedFile(rows(1, 10, 'a|b'));
    const log = await partner.importedFile(
      [`${device(1)},1,DE,0,a`, `${device(1)},1,DE,1,a`, `${device(2)},1,DE,1,b`].join('\n'),
    );
    expect(log).toMatchObject({ ...done, total_rows: '3', unique_devices: '2' });
    expect(await partner.counts()).toEqual({ a: 10, b: 9 });
  });

  test("removes a device from all attributes of the partner, but no other's, for an empty list", async () => {
    const acme = await marketplace.partner('a', 'b');
    const bravo = await marketplace.partner('a');
    for (const partner of [acme, bravo]) await partner.importedFile(rows(1, 5, 'a'));
    await acme.importedFile(rows(1, 5, 'b'));
    expect(await acme.importedFile(`${device(3)},3,DE,1,\n`)).toMatchObject(done);
    expect(await acme.counts()).toEqual({ a: 4, b: 4 });
    expect(await bravo.counts()).toEqual({ a: 5 });
  });

  test('with mode replace sets every attribute in the file to exactly its devices', async () => {
    const partner = await marketplace.partner('a', 'b', 'c');
    await partner.importedFile(rows(1, 10, 'a|b|c'));
    const log = await partner.importedFile(rows(9, 12, 'a') + rows(20, 20, 'b'), {
      mode: 'replace',
    });
    expect(log).toMatchObject({ ...done, log_type: 0, unique_devices: '5' });
    expect(await partner.counts()).toEqual({ a: 4, b: 1, c: 10 });
    // Adding the expected devices again shows which four are there.
    await partner.importedFile(rows(9, 12, 'a'), { mode: 'merge' });
    expect(await partner.counts()).toMatchObject({ a: 4 });
  });

  test('with mode replace and a removal row fails the file, and changes nothing', async () => {
    const partner = await marketplace.partner('a');
    await partner.importedFile(rows(1, 10, 'a'));
    const rowsOfFive = `${device(50)},1,DE,0,a\n${device(1)},1,DE,1,a\n`;
    expect(await partner.importedFile(rowsOfFive, { mode: 'replace' })).toMatchObject({
      status: 3,
      errors: [{ code: 'removal_in_replace', line: 2, column: 4 }],
    });
    expect(await partner.counts()).toEqual({ a: 10 });
  });

  test.each(['merge', 'replace'])(
    'with dry_run and mode %s does the whole validation, and applies nothing',
    async (mode) => {
      const partner = await marketplace.partner('a');
      await partner.importedFile(rows(1, 10, 'a'));
      const good = await partner.importedFile(`${rows(8, 100, 'a')}bad,a\n`, {
        dry_run: true,
        mode,
      });
      expect(good).toMatchObject({
        status: 2,
        log_type: 2,
        total_rows: '94',
        unique_devices: '93',
        errors: [{ code: 'malformed_id', line: 94 }],
      });
      const bad = await partner.importedFile('one,two,three\n', { dry_run: true, mode });
      expect(bad).toMatchObject({ status: 3, log_type: 2, errors: [{ code: 'wrong_columns' }] });
      expect(await partner.counts()).toEqual({ a: 10 });
    },
  );

  test('resolves its keys when it starts', async () => {
    const partner = await marketplace.partner('a');
    await partner.upload('devices.csv', rows(1, 3, 'later'));
    const lane = await partner.held();
    const waiting = await partner.queue('devices.csv');
    await partner.attributes('later');
    lane.release();
    expect(await partner.ended(waiting)).toMatchObject(done);
    expect(await partner.counts()).toMatchObject({ later: 3 });
  });
});
