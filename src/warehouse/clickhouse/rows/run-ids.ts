import type { StagedRun } from '../../../records/warehouse/manifest.ts';

/**
 * A batch contains the rows written by one attempt; it is the manifest's `file`. Its number is a time in
 * milliseconds: new rows sort after old ones, and no number returns even if PostgreSQL is restored from a
 * backup. A run has a number within its batch, the manifest's `firstRowGroup`.
 */
const bitsOfNumber = 20n;
export const runsPerBatch = 2 ** Number(bitsOfNumber);

const prefix = 'clickhouse-';

export function fileOfBatch(batch: number): string {
  return `${prefix}${batch}`;
}

/** Whether this engine wrote the file. */
export function isBatchFile(file: string): boolean {
  return file.startsWith(prefix);
}

export function batchOfFile(file: string): number {
  const batch = Number(file.slice(prefix.length));
  if (!isBatchFile(file) || !Number.isSafeInteger(batch)) {
    throw new Error(`the manifest lists ${file}, which another engine wrote`);
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

export type RunPlace = Pick<StagedRun, 'file' | 'firstRowGroup'>;
