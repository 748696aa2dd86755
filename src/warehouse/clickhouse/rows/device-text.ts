import { wordsOfHex } from '../../../domain/privacy/standard-id.ts';
import { wordsPerDevice } from '../../../domain/row-batch.ts';

/** Devices, each as 32 digits, as a list in a query. */
export function deviceList(devices: readonly string[]): string {
  return devices.map((device) => `toFixedString(unhex('${device}'), 16)`).join(', ');
}

/** The same as packed words. */
export function packDevices(devices: readonly string[]): Uint32Array {
  const words = new Uint32Array(devices.length * wordsPerDevice);
  for (const [i, device] of devices.entries()) words.set(wordsOfHex(device), i * wordsPerDevice);
  return words;
}
