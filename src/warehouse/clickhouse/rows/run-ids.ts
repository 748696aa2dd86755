import type { StagedRun } from '../../../records/warehouse/manifest.ts';

/**
 * A batch is what one attempt writes: the manifest's `file`. Its number is a time in milliseconds,
 * so that what is new lies behind what is old, and no number comes again even if the records were
 * set back to an earlier day. A run is one number in it: the manifest's `firstRowGroup`.
 */
const bitsOfNumber = 20n;
export const runsPerBatch = 2 ** Number(bitsOfNumber);

const prefix = 'clickhouse-';

export function fileOfBatch(batch: number): string {
  return `${prefix}${batch}`;
}

/** Whether this engine wrote it. */
export function isOurs(file: string): boolean {
  return file.startsWith(prefix);
}

export function batchOfFile(file: string): number {
  const batch = Number(file.slice(prefix.length));
  if (!isOurs(file) || !Number.isSafeInteger(batch)) {
    throw new Error(`${file} is not in this warehouse: its records are of another engine`);
  }
  return batch;
}

export function runId(batch: number, number: number): bigint {
  return (BigInt(batch) << bitsOfNumber) | BigInt(number);
}

export function runIdOf({ file, firstRowGroup }: RunPlace): bigint {
  return runId(batchOfFile(file), firstRowGroup);
}

export function placeOf(id: bigint): RunPlace {
  return {
    file: fileOfBatch(Number(id >> bitsOfNumber)),
    firstRowGroup: Number(id & BigInt(runsPerBatch - 1)),
  };
}

type RunPlace = Pick<StagedRun, 'file' | 'firstRowGroup'>;
