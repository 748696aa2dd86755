import { ManifestConflict } from '../domain/errors.ts';
import type { Records } from '../records/records.ts';
import type { Run } from '../records/warehouse/manifest.ts';
import type { ProfileState, StagedProfile } from '../records/warehouse/profiles.ts';
import { chooseRunsToMerge } from './choose-runs-to-merge.ts';
import { RunsMissing } from './port.ts';

const defaultProfiledFrom = 50_000;
/** Neither does a profile help with fewer runs. */
const fewestRuns = 2;

export interface ProfileLimits {
  /** Runs with fewer devices in all are compared faster without a profile. */
  readonly profiledFrom?: number | undefined;
  readonly runsPerProfile: number;
}

export function deserveProfile(
  { profiledFrom = defaultProfiledFrom }: Pick<ProfileLimits, 'profiledFrom'>,
  runs: readonly Run[],
): boolean {
  const devices = runs.reduce((sum, run) => sum + run.devices, 0);
  return runs.length >= fewestRuns && devices >= profiledFrom;
}

interface RewriteDependencies extends ProfileLimits {
  readonly records: Pick<Records, 'profiles' | 'inTransaction'>;
  /** Writes profiles of the runs. The sweep leaves them alone until `held` is disposed. */
  write(
    runs: readonly Run[],
    held: AsyncDisposableStack,
    signal: AbortSignal,
  ): Promise<StagedProfile[]>;
  /** Whether an error of `write` means that the runs cannot be numbered now. */
  isUnwritable(error: unknown): Promise<boolean>;
}

interface RewriteOptions {
  /** A profile is written again this long after one of its runs was dropped. */
  readonly rewriteAfterSeconds: number;
  /** If there are more profiles than this, small ones are merged. */
  readonly crowdedAbove: number;
}

type ProfileWithSources = ProfileState['profiles'][number];

/** Profiles to replace together with one transaction, and the runs to number instead. */
interface Replacement {
  readonly removed: readonly ProfileWithSources[];
  readonly sources: readonly Run[];
}

/**
 * Removes devices of dropped runs from profiles, merges profiles if there are many, and numbers runs
 * that have no profile. Returns how many profiles were replaced, and how often other work was quicker.
 */
export async function rewriteProfiles(
  deps: RewriteDependencies,
  options: RewriteOptions,
  signal: AbortSignal,
): Promise<{ replaced: number; conflicts: number }> {
  const state = await deps.records.profiles.state();
  const replace = (replacement: Replacement) =>
    replaceProfiles(deps, replacement, state.readAt, signal);
  const due = dueProfiles(state, options);
  const done = { replaced: 0, conflicts: 0 };
  if (due.length > 0) {
    const outcome = await replace({ removed: due, sources: sourcesOf(due) });
    // Their devices must leave the disk, even if their runs cannot be numbered again now.
    const isGone =
      outcome === 'replaced' ||
      (outcome === 'unwritable' && (await replace({ removed: due, sources: [] })) === 'replaced');
    if (isGone) done.replaced += due.length;
    else done.conflicts++;
  }
  const others = state.profiles.filter((profile) => !due.includes(profile));
  for (const replacement of replacementsOf(deps, others, state.bare, options)) {
    const outcome = await replace(replacement);
    if (outcome === 'replaced') done.replaced += replacement.removed.length;
    else done.conflicts++;
  }
  return done;
}

/** Profiles that have held devices of dropped runs for too long, and those without any run. */
function dueProfiles(
  { profiles }: ProfileState,
  { rewriteAfterSeconds }: RewriteOptions,
): ProfileWithSources[] {
  const before = Date.now() - rewriteAfterSeconds * 1_000;
  return profiles.filter(
    ({ sources, lostSourceAt }) =>
      sources.length === 0 || (lostSourceAt !== null && lostSourceAt.getTime() <= before),
  );
}

/** Merges small profiles if that makes them fewer, and numbers bare runs. */
function replacementsOf(
  deps: ProfileLimits,
  profiles: readonly ProfileWithSources[],
  bare: readonly Run[],
  { crowdedAbove }: RewriteOptions,
): Replacement[] {
  const { runsPerProfile } = deps;
  const replacements: Replacement[] = [];
  const candidates = profiles.filter(({ sources }) => sources.length <= runsPerProfile / 2);
  if (candidates.length > crowdedAbove) {
    const chosen = new Set(chooseRunsToMerge(candidates.map(({ run }) => run)));
    const removed = candidates.filter(({ run }) => chosen.has(run));
    if (removed.length > 0) replacements.push({ removed, sources: sourcesOf(removed) });
  }
  for (let begin = 0; begin < bare.length; begin += runsPerProfile) {
    const sources = bare.slice(begin, begin + runsPerProfile);
    if (deserveProfile(deps, sources)) replacements.push({ removed: [], sources });
  }
  return replacements;
}

function sourcesOf(profiles: readonly ProfileWithSources[]): Run[] {
  const all = profiles.flatMap(({ sources }) => sources);
  return [...new Map(all.map((run) => [run.runId, run])).values()];
}

/** `conflict` if a source was replaced or dropped meanwhile. The next compaction tries again. */
async function replaceProfiles(
  deps: RewriteDependencies,
  { removed, sources }: Replacement,
  readAt: Date,
  signal: AbortSignal,
): Promise<'replaced' | 'conflict' | 'unwritable'> {
  try {
    await using held = new AsyncDisposableStack();
    const staged = deserveProfile(deps, sources) ? await deps.write(sources, held, signal) : [];
    await deps.records.inTransaction(async (tx) => {
      await tx.refuseNewerSchema();
      await tx.profiles.replace(
        removed.map(({ run }) => run),
        staged,
        { readAt },
      );
    });
    return 'replaced';
  } catch (error) {
    if (error instanceof ManifestConflict || error instanceof RunsMissing) return 'conflict';
    if (await deps.isUnwritable(error)) return 'unwritable';
    throw error;
  }
}
