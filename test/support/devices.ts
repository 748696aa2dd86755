import { createHash } from 'node:crypto';
import { formatDeviceId } from '../../src/domain/device-id.ts';

/** Devices by number: always the same, each another, spread as evenly as real ones are. */
export function deviceNumber(number: number): string {
  return formatDeviceId(createHash('md5').update(String(number)).digest());
}

/** Rows of the devices numbered from `from` to before `to`, all with the same keys. */
export function deviceRows(from: number, to: number, keys: string | number): string {
  return Array.from({ length: to - from }, (_, i) => `${deviceNumber(from + i)},${keys}\n`).join(
    '',
  );
}
