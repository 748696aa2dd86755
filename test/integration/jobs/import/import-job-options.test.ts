import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

function removals(from: number, to: number, keys: string | number): string {
  return Array.from({ length: to - from }, (_, i) => `${device(from + i)},1,de,1,${keys}\n`).join(
    '',
  );
}

describe('the `compressed` option', () => {
  const plain = () => Buffer.from(rows(0, 20, tea));

  it('is detected from the content if omitted', async () => {
    await acme.put('day/1', plain());
    await acme.put('day/2', gzipSync(rows(20, 40, tea)));
    await acme.put('day/3', zstdCompressSync(rows(40, 60, tea)));
    const log = await acme.import('day/', { compressed: null });
    expect(log).toMatchObject({ state: 'done', totalRows: 60, uniqueDevices: 60 });
  });

  it.each([
    ['gzip', true, 'done', null],
    ['gzip', false, 'failed', 'bad_compression'],
    ['plain', true, 'failed', 'not_compressed'],
    ['plain', false, 'done', null],
  ] as const)('%s with compressed %s is %s', async (content, compressed, state, code) => {
    await acme.put('devices', content === 'gzip' ? gzipSync(plain()) : plain());
    const log = await acme.import('devices', { compressed });
    expect(log).toMatchObject({
      state,
      errors: code && [{ code, file: `${acme.prefix}devices` }],
    });
    expect(await acme.counts()).toEqual([state === 'done' ? 20 : 0, 0]);
  });
});

describe('an import with mode replace', () => {
  beforeEach(async () => {
    await acme.put('before', rows(0, 100, tea) + rows(50, 150, coffee));
    await acme.import('before');
    expect(await acme.counts()).toEqual([100, 100]);
  });

  it('replaces the devices of the attributes in its files and leaves other attributes unchanged', async () => {
    await acme.put('day/1', rows(90, 105, tea));
    await acme.put('day/2', rows(100, 110, tea));
    const log = await acme.import('day/', { mode: 'replace' });
    expect(log).toMatchObject({ state: 'done', totalRows: 25, uniqueDevices: 20, errors: null });
    expect(await acme.counts()).toEqual([20, 100]);
    await acme.put('probe', rows(90, 110, tea));
    await acme.import('probe');
    expect(await acme.counts()).toEqual([20, 100]);
  });

  it('fails on a row that removes a device and changes nothing', async () => {
    await acme.put('day/1', rows(0, 5, tea));
    await acme.put('day/2', `${device(1)},1,de,0,${coffee}\n${removals(2, 3, coffee)}`);
    expect(await acme.import('day/', { mode: 'replace' })).toMatchObject({
      state: 'failed',
      uniqueDevices: 0,
      errors: [{ code: 'removal_in_replace', file: `${acme.prefix}day/2`, line: 2 }],
    });
    expect(await acme.counts()).toEqual([100, 100]);
  });

  it('with mode merge removes before it adds, across all its files', async () => {
    await acme.put('day/1', `${device(0)},1,de,0,${tea}\n`);
    await acme.put('day/2', removals(0, 10, `${tea}|${coffee}`) + removals(60, 61, ''));
    expect(await acme.import('day/')).toMatchObject({
      state: 'done',
      totalRows: 12,
      uniqueDevices: 11,
    });
    expect(await acme.counts()).toEqual([90, 99]);
  });
});

describe('a dry run', () => {
  it.each(['merge', 'replace'] as const)(
    'reports what the import (%s) would report, and applies nothing',
    async (mode) => {
      await acme.put('before', rows(0, 10, tea));
      await acme.import('before');
      const runs = await imports.records.manifest.totals();
      const universe = await imports.records.universe.state();
      await acme.put('devices', `${rows(5, 45, `${tea}|${coffee}`)}nobody,${tea}\n`);
      const dry = await acme.import('devices', { mode, dryRun: true });
      expect(dry).toMatchObject({
        logType: 2,
        state: 'done',
        totalRows: 41,
        uniqueDevices: 40,
        errors: [{ code: 'malformed_id', line: 41, count: 1 }],
      });
      expect(await acme.counts()).toEqual([10, 0]);
      expect(await imports.records.manifest.totals()).toEqual(runs);
      expect(await imports.records.universe.state()).toEqual(universe);

      const real = await acme.import('devices', { mode });
      expect(real).toMatchObject({
        logType: 0,
        totalRows: dry.totalRows,
        uniqueDevices: dry.uniqueDevices,
        errors: dry.errors,
      });
      expect(await acme.counts()).toEqual([mode === 'merge' ? 45 : 40, 40]);
    },
  );

  it('leaves its file to the sweep', async () => {
    await acme.put('devices', rows(0, 10, tea));
    await acme.import('devices', { dryRun: true });
    const files = [...(await imports.records.runFiles.names())];
    expect(files).toHaveLength(1);
    expect(await imports.records.runFiles.removeUnreferenced(24 * 60 * 60)).toEqual(files);
  });

  it('fails as the import would', async () => {
    await acme.put('devices', `${rows(0, 10, tea)}surplus,${tea},1\n`);
    const log = await acme.import('devices', { dryRun: true });
    expect(log).toMatchObject({
      logType: 2,
      state: 'failed',
      totalRows: 10,
      errors: [{ code: 'wrong_columns', line: 11 }],
    });
  });
});
