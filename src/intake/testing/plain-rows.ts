import { headerNumber, inPlace, leftOut, type RowBatch, removal } from '../../domain/row-batch.ts';

/** A row for comparison: the device in hex, + or -, and the numbers it names. */
export type PlainRow = readonly [device: string, sign: '+' | '-', numbers: readonly number[]];

/** Decodes the rows of a batch, without code of the intake. */
export function plainRows({ words, rows, numbering }: RowBatch): PlainRow[] {
  const plain: PlainRow[] = [];
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const device = Array.from(words.subarray(at, at + 4), (word) =>
      word.toString(16).padStart(8, '0'),
    ).join('');
    const header = words[at + 4]!;
    const number = header & headerNumber;
    at += 5;
    let numbers = [number];
    if ((header & inPlace) === 0) {
      numbers = [...words.subarray(at, at + number)];
      at += number;
    }
    if (numbering) {
      numbers = numbers.map((local) => numbering[local]!).filter((meant) => meant !== leftOut);
    }
    plain.push([device, (header & removal) === 0 ? '+' : '-', numbers]);
  }
  if (at !== words.length) throw new Error(`${rows} rows take ${at} of ${words.length} words`);
  return plain;
}
