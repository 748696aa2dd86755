import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import { noList } from './row-block.ts';
import { placeOf, runId, runIdOf } from './run-ids.ts';

/** Which runs, as a condition that the order of the table serves. */
export function within(runs: readonly StagedRun[]): string {
  return `run_id in (${runs.map(runIdOf).join(', ')})`;
}

/** What belongs to a batch. */
export function ofBatch(batch: number): string {
  return `run_id >= ${runId(batch, 0)} and run_id < ${runId(batch + 1, 0)}`;
}

/** A number for each run, as an expression. */
export function numbered(runs: readonly StagedRun[], numbers: readonly number[]): string {
  return `toUInt32(transform(run_id, [${runs.map(runIdOf).join(', ')}], [${numbers.join(', ')}], ${noList}))`;
}

/** The id of the run that has that number in a batch, as an expression. */
export function runNumbered(batch: number, number: string): string {
  return `toUInt64(${runId(batch, 0)}) + ${number}`;
}

/** What of a run is told to the manifest. Sixteen bytes a device, before they are compressed. */
export function stagedRun(id: bigint, segmentId: number, devices: number): StagedRun {
  return { segmentId, ...placeOf(id), rowGroups: 1, devices, bytes: devices * 16 };
}

export function devicesIn(runs: readonly StagedRun[]): number {
  return runs.reduce((sum, run) => sum + run.devices, 0);
}
