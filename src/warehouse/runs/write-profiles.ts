import { randomUUID } from 'node:crypto';
import type { DiskReserve } from '../../domain/disk-reserve.ts';
import type { StagedProfile } from '../../records/warehouse/profiles.ts';
import type { RunFiles } from '../../records/warehouse/run-files.ts';
import { keepRegistered } from '../keep-registered.ts';
import { createPause } from './file/pause.ts';
import { createProfileWriter } from './file/profile-writer.ts';
import type { OpenedRun } from './file/run-opener.ts';
import type { Sets } from './sets/sets.ts';

export interface ProfileDependencies {
  readonly directory: string;
  readonly sets: Sets;
  readonly reserve: DiskReserve;
  readonly runFiles: Pick<RunFiles, 'register' | 'renew'>;
}

/**
 * With more runs, each would have so few devices in a range of device ids that its pages are read
 * many times.
 */
export const runsPerProfile = 1_000;

/** Writes profiles of the runs. The sweep leaves the files alone until `held` is disposed. */
export async function writeProfiles(
  deps: ProfileDependencies,
  runs: readonly OpenedRun[],
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<StagedProfile[]> {
  const staged: StagedProfile[] = [];
  for (let begin = 0; begin < runs.length; begin += runsPerProfile) {
    const some = runs.slice(begin, begin + runsPerProfile);
    staged.push(await writeProfile(deps, some, held, signal));
  }
  return staged;
}

async function writeProfile(
  { directory, sets, reserve, runFiles }: ProfileDependencies,
  runs: readonly OpenedRun[],
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<StagedProfile> {
  const file = `profile-${randomUUID()}.parquet`;
  await runFiles.register({ file, jobId: null, attempt: null });
  const registration = held.use(keepRegistered(runFiles, file));
  await using writer = await createProfileWriter(directory, file, reserve);
  const pause = createPause(signal);
  for await (const batch of sets.profiles.make(runs, signal)) await writer.add(batch, pause);
  await registration.check();
  const written = await writer.finish();
  return { run: { file, ...written }, sources: runs.map(({ run }) => run) };
}
