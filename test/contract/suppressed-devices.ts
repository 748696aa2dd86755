import { createHash } from 'node:crypto';
import { formatDeviceId } from '../../src/domain/device-id.ts';
import { standardId, wordsOfHex } from '../../src/domain/privacy/standard-id.ts';

/** Devices as packed words. */
export function packed(devices: readonly string[]): Uint32Array {
  return Uint32Array.from(devices.flatMap((id) => [...wordsOfHex(standardId(id)!)]));
}

/** As a device, because it has the same size. */
export function digestOf(id: string): string {
  const digest = createHash('sha256').update(standardId(id)!).digest();
  return formatDeviceId(digest.subarray(0, 16));
}

export function idsOf(words: Uint32Array): string[] {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [i, word] of words.entries()) bytes.writeUInt32BE(word, i * 4);
  return Array.from({ length: words.length / 4 }, (_, i) =>
    formatDeviceId(bytes.subarray(i * 16, i * 16 + 16)),
  );
}
