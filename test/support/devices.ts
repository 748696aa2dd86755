import { createHash } from 'node:crypto';
import { formatDeviceId } from '../../src/domain/device-id.ts';

/** Devices by number: reproducible, distinct and as evenly distributed as real ones. */
export function deviceNumber(number: number): string {
  return formatDeviceId(createHash('md5').update(String(number)).digest());
}

/** Rows of the devices from `from` up to but excluding `to`, all with the same keys. */
export function deviceRows(from: number, to: number, keys: string | number): string {
  return Array.from({ length: to - from }, (_, i) => `${deviceNumber(from + i)},${keys}\n`).join(
    '',
  );
}
