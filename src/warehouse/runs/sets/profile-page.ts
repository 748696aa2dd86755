import { wordsPerDevice } from '../devices/device-words.ts';
import { growArray } from '../devices/grow-array.ts';
import type { PageReader } from '../file/page-reader.ts';
import { numbersAt, numbersPerLength } from '../file/profile-lists.ts';
import type { ReadableProfile, ReadableRun } from '../file/readable-run.ts';

/** A page of a profile in the memory of its reader. If the run has no lists, there are no numbers. */
export interface ProfilePage {
  devices: Uint32Array;
  /** Where the numbers of each device begin. They end before the length of the next list. */
  begins: Uint32Array<ArrayBuffer>;
  numbers: Uint16Array;
}

const noNumbers = new Uint16Array(0);

export function newProfilePage(): ProfilePage {
  return { devices: new Uint32Array(0), begins: new Uint32Array(0), numbers: noNumbers };
}

/** Reads a page. It is valid until the reader reads to its own memory again. */
export function readProfilePage(
  into: ProfilePage,
  reader: PageReader,
  profile: ReadableRun | ReadableProfile,
  page: number,
): void {
  into.devices = reader.readPage(profile, page);
  into.numbers = noNumbers;
  if (!('lists' in profile)) return;
  const numbers = reader.readLists(profile, page);
  const count = into.devices.length / wordsPerDevice;
  const begins = growArray(into.begins, count + 1);
  let at = 0;
  for (let device = 0; device < count; device++) {
    begins[device] = at + numbersPerLength;
    at += numbersAt(numbers, at);
  }
  begins[count] = at + numbersPerLength;
  into.begins = begins;
  into.numbers = numbers;
}
