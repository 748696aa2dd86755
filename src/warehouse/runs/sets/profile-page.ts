import { wordsPerDevice } from '../devices/device-words.ts';
import { growArray } from '../devices/grow-array.ts';
import type { PageReader } from '../file/page-reader.ts';
import { numbersAt, numbersPerLength } from '../file/profile-lists.ts';
import type { ReadableProfile, ReadableRun } from '../file/readable-run.ts';
import { markWords, newWordMarks, type WordMarks } from './word-marks.ts';

/** A page of a profile in the memory of its reader. If the run has no lists, it has marks instead. */
export interface ProfilePage {
  devices: Uint32Array;
  /** Where the numbers of each device begin. They end before the length of the next list. */
  begins: Uint32Array<ArrayBuffer>;
  numbers: Uint16Array;
  marks: WordMarks;
}

const noNumbers = new Uint16Array(0);

export function newProfilePage(): ProfilePage {
  return {
    devices: new Uint32Array(0),
    begins: new Uint32Array(0),
    numbers: noNumbers,
    marks: newWordMarks(),
  };
}

/** Reads a page. It is valid until the reader reads to its own memory again. */
export function readProfilePage(
  into: ProfilePage,
  reader: PageReader,
  profile: ReadableRun | ReadableProfile,
  page: number,
): void {
  into.devices = reader.readPage(profile, page);
  if (!('lists' in profile)) {
    into.numbers = noNumbers;
    into.marks = markWords(into.marks, into.devices);
    return;
  }
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
