import { randomInt } from 'node:crypto';
import { wordsPerDevice } from './device-words.ts';
import { growArray } from './grow-array.ts';

/** Finds equal devices in a list. If many are equal, this is far faster than sorting all. */
export interface DeviceGrouper {
  /**
   * Numbers the distinct devices among the first `count` in the order in which they appear, and moves
   * them to the front of `devices`. Returns how many there are.
   */
  group(devices: Uint32Array, count: number): number;
  /** For each device of the last call, the number of its group. */
  groups(): Uint32Array;
}

/** Reuses its memory: at most twelve bytes for each device. */
export function createDeviceGrouper(): DeviceGrouper {
  // Random, so that nobody can choose devices whose hashes collide.
  const seeds = Uint32Array.from({ length: wordsPerDevice }, () => randomInt(2 ** 31) * 2 + 1);
  let slots = new Uint32Array(0);
  let groups = new Uint32Array(0);

  /** Enters a group that is known to be new. */
  function enter(table: Uint32Array, shift: number, devices: Uint32Array, group: number): void {
    const mask = table.length - 1;
    let slot = hashAt(devices, group * wordsPerDevice) >>> shift;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = group + 1;
  }

  function hashAt(devices: Uint32Array, at: number): number {
    const hash =
      Math.imul(devices[at]!, seeds[0]!) ^
      Math.imul(devices[at + 1]!, seeds[1]!) ^
      Math.imul(devices[at + 2]!, seeds[2]!) ^
      Math.imul(devices[at + 3]!, seeds[3]!);
    return Math.imul(hash ^ (hash >>> 15), seeds[0]!);
  }

  return {
    group(devices, count) {
      groups = growArray(groups, count);
      let bits = 10;
      slots = growArray(slots, 1 << bits);
      let table = slots.subarray(0, 1 << bits).fill(0);
      let distinct = 0;
      for (let i = 0; i < count; i++) {
        const from = i * wordsPerDevice;
        const first = devices[from]!;
        const second = devices[from + 1]!;
        const third = devices[from + 2]!;
        const fourth = devices[from + 3]!;
        const mask = table.length - 1;
        let slot = hashAt(devices, from) >>> (32 - bits);
        let group = table[slot]!;
        while (group !== 0) {
          const at = (group - 1) * wordsPerDevice;
          if (
            devices[at] === first &&
            devices[at + 1] === second &&
            devices[at + 2] === third &&
            devices[at + 3] === fourth
          ) {
            break;
          }
          slot = (slot + 1) & mask;
          group = table[slot]!;
        }
        if (group === 0) {
          // Groups never outrun the devices, so this overwrites only devices that were numbered.
          const to = distinct * wordsPerDevice;
          devices[to] = first;
          devices[to + 1] = second;
          devices[to + 2] = third;
          devices[to + 3] = fourth;
          group = ++distinct;
          table[slot] = group;
          if (distinct * 2 > table.length) {
            bits++;
            slots = growArray(slots, 1 << bits);
            table = slots.subarray(0, 1 << bits).fill(0);
            for (let known = 0; known < distinct; known++) enter(table, 32 - bits, devices, known);
          }
        }
        groups[i] = group - 1;
      }
      return distinct;
    },
    groups: () => groups,
  };
}
