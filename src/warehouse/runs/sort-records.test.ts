import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeDevices, encodeDevices, wordsPerDevice } from './device-words.ts';
import { sortRecords, wordsPerRecord } from './sort-records.ts';

async function noPause(): Promise<void> {}

/** Devices as hex, sorted by the code under test; each record must keep the word it came with. */
async function sorted(devices: readonly string[]): Promise<string[]> {
  const records = devices.flatMap((hex, i) => [...decodeDevices(Buffer.from(hex, 'hex')), i]);
  const result = await sortRecords(Uint32Array.from(records), noPause);
  return devices.map((_, i) => {
    const at = i * wordsPerRecord;
    const device = encodeDevices(result.subarray(at, at + wordsPerDevice));
    const hex = Buffer.from(device).toString('hex');
    const cameWith = devices[result[at + wordsPerDevice]!];
    return cameWith === hex ? hex : `${hex} with what came with ${cameWith}`;
  });
}

const digit = fc.constantFrom(...'0123456789abcdef');
const hex = (length: number) => fc.string({ unit: digit, minLength: length, maxLength: length });

describe('sortRecords', () => {
  it.each([
    ['random devices', hex(32)],
    ['a shared prefix', hex(2).map((end) => 'f'.repeat(30) + end)],
    ['a shared ending', hex(2).map((begin) => begin + '8'.repeat(30))],
    ['one differing digit amid', hex(1).map((one) => `${'7'.repeat(15)}${one}${'7'.repeat(16)}`)],
    ['few distinct devices', fc.constantFrom('0'.repeat(32), 'f'.repeat(32), '80'.repeat(16))],
  ])('agrees with a naive sort: %s', async (_, device) => {
    await fc.assert(
      fc.asyncProperty(fc.array(device, { maxLength: 300 }), async (devices) => {
        expect(await sorted(devices)).toEqual(devices.toSorted());
      }),
    );
  });

  it.each([
    ['ascending', (i: number) => i],
    ['descending', (i: number) => 99_999 - i],
    ['equal', () => 7],
  ])('sorts 100,000 %s devices that share a long prefix', async (_, value) => {
    const devices = Array.from({ length: 100_000 }, (_, i) =>
      value(i).toString(16).padStart(32, '0'),
    );
    expect(await sorted(devices)).toEqual(devices.toSorted());
  });

  it('lets the event loop turn between passes, and stops when told to', async () => {
    const records = Uint32Array.from({ length: 10 * wordsPerRecord }, (_, i) => i * 0x01_23_45_67);
    let passes = 0;
    const pause = async () => {
      passes++;
      if (passes === 3) throw new Error('enough');
    };
    await expect(sortRecords(records, pause)).rejects.toThrow('enough');
    expect(passes).toBe(3);
  });
});
