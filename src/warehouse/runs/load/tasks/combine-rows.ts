import { headerNumber, inPlace, removal, wordsPerDevice } from '../../../../domain/row-batch.ts';
import { wordsPerRow } from '../../devices/rows.ts';

/** Combines any number of rows of one device into as few rows as have the same meaning. */
export interface RowCombiner {
  add(rows: Uint32Array): void;
  finish(maxRowWords: number): Uint32Array;
}

export function createRowCombiner(): RowCombiner {
  const added = new Set<number>();
  const removed = new Set<number>();
  const headers = new Set<number>();
  let device = new Uint32Array(0);

  return {
    add(rows) {
      if (rows.length > 0) device = rows.slice(0, wordsPerDevice);
      let previous = -1;
      for (let at = 0; at < rows.length; ) {
        const header = rows[at + wordsPerDevice]!;
        const listed = (header & inPlace) !== 0 ? 0 : header & headerNumber;
        const next = at + wordsPerRow + listed;
        if (listed === 0) {
          if (header !== previous) headers.add(header);
          previous = header;
        } else {
          const to = (header & removal) !== 0 ? removed : added;
          for (let word = at + wordsPerRow; word < next; word++) to.add(rows[word]!);
        }
        at = next;
      }
    },
    finish(maxRowWords) {
      const rows: number[] = [];
      for (const header of headers) rows.push(...device, header);
      const most = maxRowWords - wordsPerRow;
      for (const [numbers, flag] of [
        [[...added], 0],
        [[...removed], removal],
      ] as const) {
        for (let i = 0; i < numbers.length; i += most) {
          const some = numbers.slice(i, i + most);
          rows.push(...device, flag | some.length);
          for (const number of some) rows.push(number);
        }
      }
      return Uint32Array.from(rows);
    },
  };
}
