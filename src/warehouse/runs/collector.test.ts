import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCollector } from './collector.ts';
import { encodeDevices } from './device-words.ts';

async function noPause(): Promise<void> {}

/** Few distinct devices, so that rows repeat them. */
const device = fc.integer({ min: 0, max: 40 }).map((n) => n.toString(16).padStart(32, 'a'));
const segmentIds = fc.array(fc.constantFrom(3, 1, 2 ** 40, 70), { maxLength: 5 });
const rows = fc.array(fc.record({ device, segmentIds }), { maxLength: 200 });

function hexOf(devices: Uint32Array): string[] {
  const hex = Buffer.from(encodeDevices(devices)).toString('hex');
  return hex.match(/.{32}/g) ?? [];
}

describe('createCollector', () => {
  it('agrees with a map of sets', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (rows) => {
        const collector = createCollector();
        const model = new Map<number, Set<string>>();
        for (const { device, segmentIds } of rows) {
          collector.add(Buffer.from(device, 'hex'), segmentIds);
          for (const id of segmentIds) model.set(id, (model.get(id) ?? new Set()).add(device));
        }
        const collected = await collector.sort(noPause);
        expect(collected.uniqueDevices).toBe(new Set(rows.map((row) => row.device)).size);
        expect(collected.segmentIds).toEqual([...model.keys()].sort((a, b) => a - b));
        for (const [id, devices] of model) {
          expect(hexOf(collected.devicesOf(id))).toEqual([...devices].sort());
        }
      }),
    );
  });

  it('copies the device', async () => {
    const collector = createCollector();
    const bytes = new Uint8Array(16).fill(1);
    collector.add(bytes, [1]);
    bytes.fill(2);
    const collected = await collector.sort(noPause);
    expect(hexOf(collected.devicesOf(1))).toEqual(['01'.repeat(16)]);
  });

  it('refuses what is not 16 bytes', () => {
    expect(() => createCollector().add(new Uint8Array(15), [1])).toThrow('16 bytes, not 15');
  });
});
