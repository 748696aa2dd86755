import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { machineHas } from '../../test/support/requirements.ts';
import { mountDisk } from '../../test/support/small-disk.ts';
import { openDiskReserve } from './disk-reserve.ts';

const mebibyte = 1024 ** 2;
const full = { code: 'storage_full' };

describe.runIf(machineHas('root'))('the reserve of a disk', () => {
  test.each([
    ['the default, here 5 % of the disk', null],
    ['a share', { share: 0.05 }],
    ['a size', { bytes: mebibyte }],
  ])('is %s', async (_, size) => {
    await using disk = await mountDisk('size=20m');
    const reserve = openDiskReserve(disk.path, size);
    const fillUntil = (free: number) =>
      writeFile(join(disk.path, 'data'), Buffer.alloc((20 - free) * mebibyte));
    await fillUntil(2);
    await reserve.check('data');
    await fillUntil(0.75);
    await expect(reserve.check('data')).rejects.toMatchObject({
      ...full,
      message: 'The disk of the service has 0 MiB free, and 1 MiB are reserved.',
    });
    await reserve.check('maintenance');
    await fillUntil(0.25);
    await expect(reserve.check('maintenance')).rejects.toMatchObject(full);
  });

  test('can be nothing', async () => {
    await using disk = await mountDisk('size=1m');
    await writeFile(join(disk.path, 'data'), Buffer.alloc(mebibyte));
    await openDiskReserve(disk.path, { bytes: 0 }).check('data');
  });
});
