import { wordsPerDevice } from '../devices/device-words.ts';
import { extendArray } from '../devices/grow-array.ts';
import type { PageReader } from '../file/page-reader.ts';
import { numbersAt, numbersPerLength } from '../file/profile-lists.ts';
import type { ReadableProfile, ReadableRun } from '../file/readable-run.ts';

/** A part of a profile in memory, which each part takes over from the previous one. */
export interface ProfilePart {
  devices: Uint32Array<ArrayBuffer>;
  /** Where the devices end, in words. */
  end: number;
  /** Where the numbers of each device begin. They end before the length of the next list. */
  begins: Uint32Array<ArrayBuffer>;
  numbers: Uint16Array<ArrayBuffer>;
  /** Where the numbers end. 0 if the run has no lists. */
  length: number;
}

export function newPart(): ProfilePart {
  return {
    devices: new Uint32Array(0),
    end: 0,
    begins: new Uint32Array(0),
    numbers: new Uint16Array(0),
    length: 0,
  };
}

export function emptyPart(part: ProfilePart): void {
  part.end = 0;
  part.length = 0;
}

/** Adds a page, whole: devices outside a range do no harm if those to compare with are in it. */
export function appendPage(
  part: ProfilePart,
  reader: PageReader,
  profile: ReadableRun | ReadableProfile,
  page: number,
): void {
  const devices = reader.readPage(profile, page);
  part.devices = extendArray(part.devices, part.end, part.end + devices.length);
  part.devices.set(devices, part.end);
  const first = part.end / wordsPerDevice;
  part.end += devices.length;
  const count = part.end / wordsPerDevice;
  if (!('lists' in profile)) return;
  const lists = reader.readLists(profile, page);
  part.numbers = extendArray(part.numbers, part.length, part.length + lists.length);
  part.numbers.set(lists, part.length);
  part.begins = extendArray(part.begins, first, count + 1);
  const { begins, numbers } = part;
  let at = part.length;
  for (let device = first; device < count; device++) {
    begins[device] = at + numbersPerLength;
    at += numbersAt(numbers, at);
  }
  begins[count] = at + numbersPerLength;
  part.length = at;
}
