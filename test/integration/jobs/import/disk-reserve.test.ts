import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDiskReserve } from '../../../../src/data-dir/disk-reserve.ts';
import { openDiskStore } from '../../../../src/objects/disk/disk-store.ts';
import { deviceRows as rows } from '../../../support/devices.ts';
import { content } from '../../../support/disk-store.ts';
import { freshImports } from '../../../support/imports.ts';
import { machineHas } from '../../../support/requirements.ts';
import { mountDisk } from '../../../support/small-disk.ts';

const mebibyte = 1024 ** 2;
const full = { code: 'storage_full' };
const { signal } = new AbortController();

describe.runIf(machineHas('root'))('a disk with less free space than the reserve', () => {
  test('refuses uploads and loads, but not deletions and maintenance', async () => {
    await using disk = await mountDisk('size=64m');
    const reserve = openDiskReserve(disk.path, { bytes: 32 * mebibyte });
    await using imports = await freshImports({ path: disk.path, reserve });
    const { objectIndex, uploads } = imports.records;
    const folder = join(disk.path, 'objects');
    const objects = await openDiskStore(folder, objectIndex, uploads, reserve);
    const acme = await imports.partner();
    const [tea, coffee] = [await acme.attribute(), await acme.attribute()];
    await acme.put('tea.csv', rows(0, 1_000, tea));
    await acme.put('coffee.csv', rows(0, 1_000, coffee));
    expect(await acme.import('tea.csv')).toMatchObject({ uniqueDevices: 1_000 });

    // An upload is cut off at the reserve, not at the end of the disk.
    const endless = Array.from({ length: 64 }, () => Buffer.alloc(mebibyte));
    await expect(objects.put('endless', content(...endless))).rejects.toMatchObject(full);
    const filler = join(disk.path, 'filler');
    await writeFile(filler, Buffer.alloc((await freeBytes(disk.path)) - 30 * mebibyte));

    await expect(objects.put('x', content(''))).rejects.toMatchObject(full);
    const version = (await Array.fromAsync(objects.find(`${acme.prefix}tea.csv`)))[0]!;
    await expect(objects.copy(version, 'x')).rejects.toMatchObject(full);
    const headers = { contentType: 'text/plain', metadata: {} };
    await expect(objects.beginUpload('x', headers)).rejects.toMatchObject(full);
    expect(await acme.import('coffee.csv')).toMatchObject({
      state: 'failed',
      uniqueDevices: 0,
      errors: [
        {
          code: 'storage_full',
          message:
            'There is not enough space to load the files. The disk of the service has 30 MiB free, and 32 MiB are reserved. Nothing was applied. Queue the import again when the operator has freed space.',
        },
      ],
    });

    expect(await acme.delete([tea])).toMatchObject({ state: 'done', uniqueDevices: 1_000 });
    expect(await imports.warehouse.refreshUniverse(signal)).toMatchObject({ version: 1 });
    await objects.delete([`${acme.prefix}tea.csv`]);

    await rm(filler);
    expect(await acme.import('coffee.csv')).toMatchObject({ uniqueDevices: 1_000 });
  });

  test('ends a large load before it uses the reserve', async () => {
    await using disk = await mountDisk('size=40m');
    const reserve = openDiskReserve(disk.path, { bytes: 28 * mebibyte });
    await using imports = await freshImports({ path: disk.path, reserve });
    const acme = await imports.partner();
    const names = await Promise.all(Array.from({ length: 30 }, () => acme.attribute()));
    await acme.put('large.csv', rows(0, 40_000, names.join('|')));
    const log = await acme.import('large.csv');
    expect(log).toMatchObject({ state: 'failed', errors: [full] });
    expect(log.errors?.[0]?.message).toContain('28 MiB are reserved');
  });
});

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
