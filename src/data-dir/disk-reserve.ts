import { statfs } from 'node:fs/promises';
import type { ReserveSize } from '../config/parsers.ts';
import type { DiskReserve, DiskSpace } from '../domain/disk-reserve.ts';
import { TributaryError } from '../domain/errors.ts';

const gibibyte = 1024 ** 3;

/** The share suffices on a small disk, and on a large one it would keep too much free. */
const defaultSize = { bytes: 2 * gibibyte, share: 0.05 };

/** The reserve of the disk that holds the data dir. Null: the default size. */
export function openDiskReserve(path: string, size: ReserveSize | null): DiskReserve {
  return {
    async check(purpose) {
      const { free, reserved } = await readDiskSpace(path, size);
      if (free >= (purpose === 'data' ? reserved : reserved / 2)) return;
      throw new TributaryError(
        'storage_full',
        `The disk of the service has ${inMebibytes(free)} free, and ${inMebibytes(reserved)} are reserved.`,
      );
    },
  };
}

/** The space on the disk that holds the path. */
export async function readDiskSpace(path: string, reserve: ReserveSize | null): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path);
  const size = blocks * bsize;
  return { size, free: bavail * bsize, reserved: reservedBytes(size, reserve) };
}

function reservedBytes(diskBytes: number, reserve: ReserveSize | null): number {
  if (reserve === null) return Math.min(defaultSize.bytes, diskBytes * defaultSize.share);
  return 'bytes' in reserve ? reserve.bytes : diskBytes * reserve.share;
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
