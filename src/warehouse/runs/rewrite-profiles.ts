import { ManifestConflict } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import type { ProfileState } from '../../records/warehouse/profiles.ts';
import { chooseRunsToMerge } from '../choose-runs-to-merge.ts';
import { RunsMissing } from '../port.ts';
import { isDamageError } from './file/damage-error.ts';
import { deserveProfile, type ProfileDependencies, writeProfiles } from './write-profiles.ts';

interface RewriteDependencies extends ProfileDependencies {
  readonly records: Pick<Records, 'profiles' | 'inTransaction'>;
}

interface RewriteOptions {
  /** A profile is written again this long after one of its runs was dropped. */
  readonly rewriteAfterSeconds: number;
  /** If there are more profiles than this, small ones are merged. */
  readonly crowdedAbove: number;
}

/**
 * Merges profiles if there are many, removes devices of dropped runs from them, and numbers runs that
 * have no profile. Returns the number of profiles that were replaced.
 */
export async function rewriteProfiles(
  deps: RewriteDependencies,
  options: RewriteOptions,
  signal: AbortSignal,
): Promise<number> {
  const { profiles } = deps.records;
  const state = await profiles.state();
  const replaced = profilesToReplace(state, options);
  const bare = replaced.length > 0 || deserveProfile(deps, state.bare) ? state.bare : [];
  if (replaced.length + bare.length === 0) return 0;
  const numbered = replaced.flatMap(({ sources }) => sources);
  const sources = [...new Map([...numbered, ...bare].map((run) => [run.runId, run])).values()];
  try {
    await using held = new AsyncDisposableStack();
    const open = await deps.sets.open(async () => sources, held);
    const staged = deserveProfile(deps, sources)
      ? await writeProfiles(deps, open, held, signal)
      : [];
    await deps.records.inTransaction(async (tx) => {
      await tx.refuseNewerSchema();
      await tx.profiles.remove(replaced.map(({ run }) => run));
      await tx.profiles.add(staged);
    });
    return replaced.length;
  } catch (error) {
    // Reports do without, and the next compaction tries again.
    if (error instanceof ManifestConflict || error instanceof RunsMissing) return 0;
    if (isDamageError(error)) return 0;
    throw error;
  }
}

function profilesToReplace(
  { profiles }: ProfileState,
  { rewriteAfterSeconds, crowdedAbove }: RewriteOptions,
): ProfileState['profiles'] {
  const before = Date.now() - rewriteAfterSeconds * 1_000;
  const runs = profiles.map(({ run }) => run);
  const small = runs.length > crowdedAbove ? chooseRunsToMerge(runs) : [];
  const chosen = new Set<Run>(small);
  return profiles.filter(
    ({ run, sources, lostSourceAt }) =>
      chosen.has(run) ||
      sources.length === 0 ||
      (lostSourceAt !== null && lostSourceAt.getTime() <= before),
  );
}
