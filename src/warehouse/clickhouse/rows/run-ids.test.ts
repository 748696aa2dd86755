import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  batchOfFile,
  fileOfBatch,
  isBatchFile,
  placeOf,
  runIdOf,
  runsPerBatch,
} from './run-ids.ts';

it('a run has a 64-bit id that encodes its batch and number', () => {
  const batch = fc.integer({ min: 1_700_000_000_000, max: 2 ** 44 - 1 });
  const number = fc.integer({ min: 0, max: runsPerBatch - 1 });
  const property = fc.property(batch, number, (batch, firstRowGroup) => {
    const place = { file: fileOfBatch(batch), firstRowGroup };
    const id = runIdOf(place);
    expect(id).toBeLessThan(2n ** 64n);
    expect(placeOf(id)).toEqual(place);
    expect(batchOfFile(place.file)).toBe(batch);
  });
  fc.assert(property);
});

it('a file of another engine is refused', () => {
  expect(isBatchFile('job-1-1.parquet')).toBe(false);
  expect(() => batchOfFile('job-1-1.parquet')).toThrow('another engine');
});
