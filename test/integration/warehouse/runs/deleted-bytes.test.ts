import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { standardId, wordsOfHex } from '../../../../src/domain/privacy/standard-id.ts';
import { applySuppressions } from '../../../../src/jobs/privacy/apply-suppressions.ts';
import { changeSuppression } from '../../../../src/jobs/privacy/change-suppression.ts';
import type { MaintainedWarehouse } from '../../../../src/warehouse/port.ts';
import { deviceNumber, deviceRows } from '../../../support/devices.ts';
import { freshImports, type Imports } from '../../../support/imports.ts';
import { openTestWarehouse } from '../../../support/warehouse.ts';

let imports: Imports;
beforeEach(async () => {
  imports = await freshImports();
});
afterEach(() => imports[Symbol.asyncDispose]());

const { signal } = new AbortController();

/** The devices whose bytes occur in some file of the warehouse. */
async function onDisk(numbers: readonly number[]): Promise<number[]> {
  const names = await readdir(imports.warehouseDir);
  const files = await Promise.all(names.map((name) => readFile(join(imports.warehouseDir, name))));
  return numbers.filter((number) => {
    const bytes = Buffer.from(deviceNumber(number).replaceAll('-', ''), 'hex');
    return files.some((file) => file.includes(bytes));
  });
}

/** The periodic maintenance of the worker, as if all its delays had passed. */
async function maintain(): Promise<void> {
  await using warehouse = await openTestWarehouse(imports.warehouseDir, imports.records);
  await warehouse.refreshUniverse(signal);
  await warehouse.compact({ rewriteAfterSeconds: 0 }, signal);
  await warehouse.refreshUniverse(signal);
  await warehouse.sweep(0);
}

const kept = [1, 50, 99];
const deleted = [101, 150, 199];

/** Devices 0 to 99 with one attribute and 100 to 199 with another, in one file. */
async function loaded() {
  const partner = await imports.partner();
  const [keptId, deletedId] = [await partner.attribute('kept'), await partner.attribute('deleted')];
  await partner.put('all.csv', deviceRows(0, 100, keptId) + deviceRows(100, 200, deletedId));
  await partner.import('all.csv');
  await maintain();
  expect(await onDisk([...kept, ...deleted])).toEqual([...kept, ...deleted]);
  return { partner, keptId, deletedId };
}

describe('exactly the deleted bytes leave the disk', () => {
  test('when the data of an attribute is deleted', async () => {
    const { partner, deletedId } = await loaded();
    await partner.delete([deletedId]);
    await maintain();
    expect(await onDisk([...kept, ...deleted])).toEqual(kept);
    expect(await partner.counts()).toEqual([100, 0]);
  });

  test('when the attribute itself is deleted', async () => {
    const { partner, deletedId } = await loaded();
    await partner.delete([deletedId], { withDefinitions: true });
    await maintain();
    expect(await onDisk([...kept, ...deleted])).toEqual(kept);
    expect(await partner.counts()).toEqual([100]);
  });

  test('when devices are removed row by row', async () => {
    const { partner } = await loaded();
    const rows = deleted.map((number) => `${deviceNumber(number)},1,DE,1,\n`);
    await partner.put('removals.csv', rows.join(''));
    await partner.import('removals.csv');
    await maintain();
    expect(await onDisk([...kept, ...deleted])).toEqual(kept);
    expect(await partner.counts()).toEqual([100, 97]);
  });

  test('when an import replaces them', async () => {
    const { partner, deletedId } = await loaded();
    await partner.put('others.csv', deviceRows(300, 310, deletedId));
    await partner.import('others.csv', { mode: 'replace' });
    await maintain();
    expect(await onDisk([...kept, ...deleted, 305])).toEqual([...kept, 305]);
    expect(await partner.counts()).toEqual([100, 10]);
  });

  test('when devices are suppressed, also from the list of suppressed devices', async () => {
    const { partner } = await loaded();
    const words = deleted.flatMap((number) => [...wordsOfHex(standardId(deviceNumber(number))!)]);
    const change = { set: 'devices', words: Uint32Array.from(words) } as const;
    await changeSuppression(imports, () => [change], signal);
    const warehouse = imports.warehouse as MaintainedWarehouse;
    await applySuppressions({ records: imports.records, warehouse }).run(signal);
    await maintain();
    expect(await onDisk([...kept, ...deleted])).toEqual(kept);
    expect(await partner.counts()).toEqual([100, 97]);
  });

  test('unless another attribute holds the device', async () => {
    const { partner, keptId, deletedId } = await loaded();
    await partner.put('both.csv', deviceRows(150, 151, keptId));
    await partner.import('both.csv');
    await partner.delete([deletedId]);
    await maintain();
    expect(await onDisk([...kept, ...deleted])).toEqual([...kept, 150]);
  });
});
