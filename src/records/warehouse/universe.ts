import { sql } from 'kysely';
import { ManifestConflict } from '../../domain/errors.ts';
import { atomically, type Database, inOneSnapshot } from '../database/connection.ts';
import { type ExclusiveWork, runExclusively } from '../database/exclusive-lock.ts';
import { refuseNewerSchema } from '../database/schema-version.ts';
import { createManifest, type ManifestChange, type Run, toRun } from './manifest.ts';
import { enterManifest } from './manifest-gate.ts';
import { createProfiles, type Profile, type StagedProfile } from './profiles.ts';

type RunRow = Parameters<typeof toRun>[0];

export interface UniverseState {
  readonly segmentId: number;
  readonly version: number;
  /** Added or dropped runs of attributes that are not folded in yet. */
  readonly backlog: number;
}

/** Everything that a fold needs, read in one snapshot. */
export interface PendingFold {
  readonly segmentId: number;
  readonly version: number;
  readonly changes: readonly { runId: number; isDrop: boolean }[];
  /** Added runs that still exist and are readable. */
  readonly added: readonly Run[];
  /** Those of them that no profile numbers. */
  readonly bare: readonly Run[];
  readonly dropped: readonly Run[];
  /** The universe's own runs. */
  readonly runs: readonly Run[];
  /**
   * All readable runs of attributes: those that no profile numbers, and the profiles of the others.
   * Only if runs were dropped, to find devices that other runs hold.
   */
  readonly attributeRuns: readonly Run[];
  readonly profiles: readonly LivingProfile[];
}

interface LivingProfile extends Profile {
  /** The numbers of runs that exist and are readable. */
  readonly alive: readonly number[];
}

/** What a fold changes: the universe's runs, and the profiles of the added runs. */
export interface FoldChange extends ManifestChange {
  readonly profiles?: readonly StagedProfile[];
}

export type UniverseRecord = ReturnType<typeof createUniverse>;

export function createUniverse(db: Database) {
  return {
    async state(): Promise<UniverseState> {
      const { rows } = await sql<UniverseState>`
        select segment_id as "segmentId", version,
          (select count(*) from pending_change) as backlog
        from universe
      `.execute(db);
      return rows[0]!;
    },

    /** Whether the universe is at that version and no change waits to be folded into it. */
    async isUpToDate(version: number): Promise<boolean> {
      const { rows } = await sql`
        select from universe where version = ${version}
          and not exists (select from pending_change)
      `.execute(db);
      return rows.length > 0;
    },

    /**
     * Runs `fold` once no other process folds. If it loses the lock without noticing, the version
     * check makes its commit fail.
     */
    exclusively<T>(fold: ExclusiveWork<T>, signal: AbortSignal): Promise<T> {
      return runExclusively(db, 'universe', fold, signal);
    },

    /** Reads everything in one snapshot, so that the log of changes and the manifest agree. */
    async pending(): Promise<PendingFold> {
      return inOneSnapshot(db, async (tx) => {
        const { segment_id, version } = await tx
          .selectFrom('universe')
          .selectAll()
          .executeTakeFirstOrThrow();
        const changes = await tx.selectFrom('pending_change').selectAll().execute();
        const { rows: added } = await sql<RunRow & { is_bare: boolean }>`
            select run.*, not exists (
              select from profile_source where profile_source.run_id = run.run_id
            ) as is_bare
            from run join pending_change using (run_id) where not is_drop
          `.execute(tx);
        const dropped = changes.filter(({ is_drop }) => is_drop);
        const { rows: ofAttributes } = await sql<RunRow>`
            select run.* from run join segment using (segment_id)
            where kind = 'attribute' and ${dropped.length > 0}
              and run_id not in (select run_id from damaged_run)
              and run_id not in (select run_id from profile_source)
          `.execute(tx);
        const { rows: profiles } = await sql<RunRow & { numbers: number; alive: number[] }>`
            select run.*, numbers, array(
              select number from profile_source
              where profile_source.segment_id = profile.segment_id
                and run_id not in (select run_id from damaged_run)
            ) as alive
            from profile join run using (segment_id) where ${dropped.length > 0}
          `.execute(tx);
        return {
          segmentId: segment_id,
          version,
          changes: changes.map((row) => ({ runId: row.run_id, isDrop: row.is_drop })),
          added: added.map(toRun),
          bare: added.filter(({ is_bare }) => is_bare).map(toRun),
          dropped: dropped.map(toRun),
          runs: await createManifest(tx).runsOf([segment_id]),
          attributeRuns: ofAttributes.map(toRun),
          profiles: profiles.map((row) => ({
            run: toRun(row),
            numbers: row.numbers,
            alive: row.alive,
          })),
        };
      });
    },

    /**
     * Commits a fold and returns the universe's version after it. Any change of an attribute is a
     * new version, even if the universe's devices stay the same, because compositions use both.
     */
    async commit(pending: PendingFold, change: FoldChange): Promise<number> {
      const version = pending.version + (pending.changes.length > 0 ? 1 : 0);
      return atomically(db, async (tx) => {
        await refuseNewerSchema(tx);
        await enterManifest(tx);
        const { numAffectedRows } = await sql`
          update universe set version = ${version} where version = ${pending.version}
        `.execute(tx);
        if (numAffectedRows !== 1n)
          throw new ManifestConflict('another process has folded the universe meanwhile');
        await sql`
          delete from universe_change
          using unnest(
            ${pending.changes.map(({ runId }) => runId)}::bigint[],
            ${pending.changes.map(({ isDrop }) => isDrop)}::boolean[]
          ) as folded (run_id, is_drop)
          where universe_change.run_id = folded.run_id and universe_change.is_drop = folded.is_drop
        `.execute(tx);
        await createProfiles(tx).replace([], change.profiles ?? [], { alsoDropped: change.drop });
        await createManifest(tx).apply(change);
        return version;
      });
    },
  };
}
