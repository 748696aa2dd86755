import { sql } from 'kysely';
import { ManifestConflict } from '../../domain/errors.ts';
import { atomically, type Database } from '../database/connection.ts';
import { type ExclusiveWork, runExclusively } from '../database/exclusive-lock.ts';
import { refuseNewerSchema } from '../database/schema-version.ts';
import { createManifest, type ManifestChange, type Run, toRun } from './manifest.ts';

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
  readonly dropped: readonly Run[];
  /** The universe's own runs. */
  readonly runs: readonly Run[];
  /**
   * All readable runs of attributes; only if runs were dropped, to find devices that other runs
   * hold.
   */
  readonly attributeRuns: readonly Run[];
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
      return db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (tx) => {
          const { segment_id, version } = await tx
            .selectFrom('universe')
            .selectAll()
            .executeTakeFirstOrThrow();
          const changes = await tx.selectFrom('pending_change').selectAll().execute();
          const { rows: added } = await sql<Parameters<typeof toRun>[0]>`
            select run.* from run join pending_change using (run_id) where not is_drop
          `.execute(tx);
          const dropped = changes.filter(({ is_drop }) => is_drop);
          const { rows: ofAttributes } = await sql<Parameters<typeof toRun>[0]>`
            select run.* from run join segment using (segment_id)
            where kind = 'attribute' and ${dropped.length > 0}
              and run_id not in (select run_id from damaged_run)
          `.execute(tx);
          return {
            segmentId: segment_id,
            version,
            changes: changes.map((row) => ({ runId: row.run_id, isDrop: row.is_drop })),
            added: added.map(toRun),
            dropped: dropped.map(toRun),
            runs: await createManifest(tx).runsOf([segment_id]),
            attributeRuns: ofAttributes.map(toRun),
          };
        });
    },

    /**
     * Commits a fold and returns the universe's version after it. Any change of an attribute is a
     * new version, even if the universe's devices stay the same, because compositions use both.
     */
    async commit(pending: PendingFold, change: ManifestChange): Promise<number> {
      const version = pending.version + (pending.changes.length > 0 ? 1 : 0);
      return atomically(db, async (tx) => {
        await refuseNewerSchema(tx);
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
        await createManifest(tx).apply(change);
        return version;
      });
    },
  };
}
