import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore, ObjectVersion } from '../../../../src/objects/port.ts';
import { deviceNumber as device, deviceRows as rows } from '../../../support/devices.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../../support/imports.ts';

let imports: Imports;
let acme: ImportingPartner;
let tea: number;
let coffee: number;

beforeEach(async () => {
  imports = await freshImports();
  acme = await imports.partner();
  tea = await acme.attribute('hot/tea');
  coffee = await acme.attribute('hot/coffee');
});
afterEach(() => imports[Symbol.asyncDispose]());

/** The real store, which reports the versions it opens. */
function watched(onOpen: (version: ObjectVersion) => unknown): ObjectStore {
  return {
    ...imports.objects,
    async *open(version, offset) {
      await onOpen(version);
      yield* imports.objects.open(version, offset);
    },
  };
}

describe('an import', () => {
  it('loads devices into attributes named by id', async () => {
    await acme.put('devices.csv', `id,attribute_ids\n${rows(0, 100, tea)}${rows(50, 60, coffee)}`);
    expect(await acme.import('devices.csv', 0)).toMatchObject({
      state: 'done',
      uniqueDevices: 100,
      totalRows: 110,
      errors: null,
    });
    expect(await acme.counts()).toEqual([100, 10]);
  });

  it('loads devices into attributes named by partner foreign key', async () => {
    await acme.attribute();
    await acme.put('devices.csv', `${rows(0, 3, 'hot/tea|hot/coffee')}${rows(3, 5, 'hot/coffee')}`);
    expect(await acme.import('devices.csv', 1)).toMatchObject({
      state: 'done',
      uniqueDevices: 5,
      totalRows: 5,
      errors: null,
    });
    expect(await acme.counts()).toEqual([3, 5, 0]);
  });

  it('counts a device once per attribute, across rows, files and imports', async () => {
    const again = `${device(1).toUpperCase()},${tea}|${tea}\n`;
    await acme.put('day-1/a.csv', rows(0, 10, tea) + again + again);
    await acme.put('day-1/b.csv', rows(5, 15, tea) + rows(0, 5, coffee));
    expect(await acme.import('day-1/')).toMatchObject({ uniqueDevices: 15, totalRows: 27 });
    expect(await acme.counts()).toEqual([15, 5]);

    await acme.put('day-2/a.csv', rows(10, 20, `${tea}|${coffee}`));
    expect(await acme.import('day-2/')).toMatchObject({ uniqueDevices: 10, totalRows: 10 });
    expect(await acme.counts()).toEqual([20, 15]);

    expect(await acme.import('day-1/')).toMatchObject({ uniqueDevices: 15, totalRows: 27 });
    expect(await acme.counts()).toEqual([20, 15]);
  });

  it('reads all files under a prefix, in key order, and skips folder markers', async () => {
    for (const [n, name] of ['day/é', 'day/2', 'day/B', 'day/a/1', 'day/10', 'day.csv'].entries()) {
      await acme.put(name, rows(n, n + 1, tea));
    }
    await acme.put('day/', '');
    await acme.put('day/a/', '');
    await acme.put('elsewhere', rows(10, 20, tea));
    const read: string[] = [];
    const objects = watched(({ key }) => read.push(key.slice(acme.prefix.length)));
    expect(await acme.import('/da', 0, { objects })).toMatchObject({
      state: 'done',
      uniqueDevices: 6,
      totalRows: 6,
    });
    expect(read).toEqual(['day.csv', 'day/10', 'day/2', 'day/B', 'day/a/1', 'day/é']);
  });

  it('reads only the object with exactly its path, even if others start with it', async () => {
    await acme.put('day', rows(0, 1, tea));
    await acme.put('day/1', rows(1, 5, tea));
    expect(await acme.import('day')).toMatchObject({ state: 'done', totalRows: 1 });
    expect(await acme.counts()).toEqual([1, 0]);
  });

  it('reports rejected rows and loads the rest', async () => {
    const rejected = `nobody,${tea}\n00000000-0000-0000-0000-000000000000,${tea}\n`;
    await acme.put('devices.csv', `${rows(0, 40, tea)}${rejected}${rows(0, 1, '99999999')}`);
    expect(await acme.import('devices.csv')).toMatchObject({
      state: 'done',
      uniqueDevices: 40,
      totalRows: 43,
      errors: [
        { code: 'malformed_id', file: `${acme.prefix}devices.csv`, line: 41, value: 'nobody' },
        { code: 'zeroed_id', line: 42, column: 1, count: 1 },
        { code: 'unknown_key', line: 43, column: 2, value: '99999999', count: 1 },
      ],
    });
    expect(await acme.counts()).toEqual([40, 0]);
  });

  it("treats another partner's keys as unknown", async () => {
    const bravo = await imports.partner();
    await bravo.attribute('hot/tea');
    await bravo.put('by-id.csv', rows(0, 1, coffee));
    await bravo.put('by-key.csv', rows(0, 1, 'hot/coffee'));
    for (const [path, keyType] of [
      ['by-id.csv', 0],
      ['by-key.csv', 1],
    ] as const) {
      expect(await bravo.import(path, keyType)).toMatchObject({
        state: 'failed',
        uniqueDevices: 0,
        totalRows: 1,
        errors: [{ code: 'too_many_rejects' }, { code: 'unknown_key', count: 1 }],
      });
    }
    expect([await acme.counts(), await bravo.counts()]).toEqual([[0, 0], [0]]);
  });
});

describe('an import that fails', () => {
  it.each(['devices.csv', 'empty/', '../partner-2/devices.csv'])(
    'because there is no file at %s reports it',
    async (path) => {
      const bravo = await imports.partner();
      await bravo.put('devices.csv', rows(0, 1, tea));
      await acme.put('empty/', '');
      await acme.put('empty/folder/', '');
      expect(await acme.import(path)).toMatchObject({
        state: 'failed',
        uniqueDevices: 0,
        totalRows: 0,
        errors: [{ code: 'no_files', message: expect.stringContaining(path), file: null }],
      });
    },
  );

  it('because there are too many files stops listing them at once', async () => {
    let listed = 0;
    const objects: ObjectStore = {
      ...imports.objects,
      async *find(path) {
        for (;;) yield { key: `${path}${++listed}`, etag: 'etag', size: 1 };
      },
    };
    expect(await acme.import('endless/', undefined, { objects, maxFiles: 1_234 })).toMatchObject({
      state: 'failed',
      totalRows: 0,
      errors: [{ code: 'too_many_files', message: expect.stringContaining('1,234'), file: null }],
    });
    expect(listed).toBe(1_235);
  });

  it('because one of its files is malformed reports where, and applies none of them', async () => {
    await acme.put('before.csv', rows(0, 10, tea));
    await acme.import('before.csv');
    const runs = await imports.records.manifest.totals();
    const files = await readdir(imports.warehouseDir);

    await acme.put('day/1.csv', rows(10, 20, tea));
    await acme.put('day/2.csv', `${rows(20, 25, coffee)}${device(25)},${tea},surplus\n`);
    await acme.put('day/3.csv', rows(30, 40, tea));
    expect(await acme.import('day/')).toMatchObject({
      state: 'failed',
      uniqueDevices: 0,
      totalRows: 15,
      errors: [
        {
          code: 'wrong_columns',
          file: `${acme.prefix}day/2.csv`,
          line: 6,
          column: 3,
          value: 'surplus',
          count: 1,
        },
      ],
    });
    expect(await acme.counts()).toEqual([10, 0]);
    expect(await imports.records.manifest.totals()).toEqual(runs);
    expect(await readdir(imports.warehouseDir)).toEqual(files);
  });
});
