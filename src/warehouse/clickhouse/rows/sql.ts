import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import { placeOf, type RunPlace, runId, runIdOf } from './run-ids.ts';

/** The tables with devices by run: those of segments and those of profiles. */
export const deviceTables = ['run_device', 'profile_device'] as const;
export type DeviceTable = (typeof deviceTables)[number];

/** Instead of a list's number in a loaded row: no list, only the device counts. */
export const noList = 0xffff_ffff;
/** Instead of a list's number in a loaded row: the device leaves every segment. */
export const allLists = 0xffff_fffe;

/** A condition that selects runs. It follows the sort order of the tables. */
export function within(runs: readonly RunPlace[]): string {
  return `run_id in (${runs.map(runIdOf).join(', ')})`;
}

/** A condition that selects all runs of a batch. */
export function withinBatch(batch: number): string {
  return `run_id >= ${runId(batch, 0)} and run_id < ${runId(batch + 1, 0)}`;
}

/** An expression that maps each run to its number. */
export function runNumberExpression(
  runs: readonly StagedRun[],
  numbers: readonly number[],
): string {
  return `toUInt32(transform(run_id, [${runs.map(runIdOf).join(', ')}], [${numbers.join(', ')}], ${noList}))`;
}

/** An expression for the id of the run with that number in the batch. */
export function runIdExpression(batch: number, number: string): string {
  return `toUInt64(${runId(batch, 0)}) + ${number}`;
}

/** The manifest's entry for a run. A device takes sixteen bytes before compression. */
export function stagedRun(id: bigint, segmentId: number, devices: number): StagedRun {
  return { segmentId, ...placeOf(id), rowGroups: 1, devices, bytes: devices * 16 };
}

export function devicesIn(runs: readonly Pick<StagedRun, 'devices'>[]): number {
  return runs.reduce((sum, run) => sum + run.devices, 0);
}
