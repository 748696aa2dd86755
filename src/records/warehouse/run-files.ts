import { sql } from 'kysely';
import { codeOf } from '../../domain/errors.ts';
import { capTimes } from '../database/cap-times.ts';
import type { Database } from '../database/connection.ts';
import { filesAreHeld } from '../database/file-hold.ts';
import { type Run, toRun } from './manifest.ts';
import { currentCopy } from './manifest-gate.ts';

/** A file and the attempt that writes it; both ids are null for maintenance. */
export interface NewRunFile {
  readonly file: string;
  readonly jobId: number | null;
  readonly attempt: number | null;
}

/** A file with dropped runs, and where its other runs begin. */
interface FileWithDroppedRuns {
  readonly file: string;
  /** As PostgreSQL writes it, because a Date is less exact. */
  readonly lastDroppedAt: string;
  readonly firstRowGroups: readonly number[];
}

const foreignKeyViolation = '23503';

export type RunFiles = ReturnType<typeof createRunFiles>;

/**
 * The files that contain runs, registered from before they are created until they are removed. `copyId` is
 * that of the place in which they are; null: the device sets have never been moved.
 */
export function createRunFiles(db: Database, copyId: number | null = null) {
  return {
    /**
     * Call it before the file is created, so that the sweep knows its writer. False if the file was
     * registered before.
     */
    async register({ file, jobId, attempt }: NewRunFile): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('run_file')
        .values({ file, job_id: jobId, attempt, copy_id: copyId })
        .onConflict((conflict) => conflict.column('file').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },

    /** Restarts the grace period of a file that takes long to write. False if it was swept. */
    async renew(file: string): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update run_file set created_at = clock_timestamp() where file = ${file}
      `.execute(db);
      return numAffectedRows === 1n;
    },

    /**
     * Unregisters the files that nothing references or will reference: files of attempts that can
     * no longer commit, and others after the grace period, which begins when they lose their last
     * run. The files may then be deleted; a later commit of one gets a conflict. Rows locked by a
     * commit are skipped. If a commit ended after our snapshot, its runs' foreign key fails the
     * statement, and the next sweep tries again. Also returns files of earlier calls that were not
     * forgotten yet. Returns none while a backup copies files.
     */
    async removeUnreferenced(graceSeconds: number): Promise<string[]> {
      await capTimes(db, 'run_file', { created_at: 0, dropped_at: 0, last_dropped_at: 0 });
      try {
        // Registered for a place that the device sets had left by then. No commit can use these files.
        await sql`
          delete from run_file
          where copy_id is distinct from ${currentCopy} and not exists (
            select from warehouse_copy
            where warehouse_copy.copy_id = run_file.copy_id and state in ('copying', 'aborting')
          )
        `.execute(db);
        const { rows } = await sql<{ file: string }>`
          with removed as (
          delete from run_file
          where file in (
            select file from run_file
            left join job using (job_id)
            where run_file.copy_id is not distinct from ${copyId}::bigint
              and not exists (select from run where run.file = run_file.file)
              and not exists (
                select from universe_change where universe_change.file = run_file.file
              )
              and case
                when job.job_id is not null and dropped_at is null
                  then job.attempt > run_file.attempt or job.state <> 'running'
                else coalesce(last_dropped_at, run_file.created_at)
                  < now() - ${graceSeconds} * interval '1 second'
              end
            for update of run_file skip locked
          )
          returning file
          ),
          noted as (
            insert into removed_file (name, content) select file, 'device sets' from removed
            on conflict do nothing
          )
          select file from removed
          union select name from removed_file where content = 'device sets'
        `.execute(db);
        return (await filesAreHeld(db)) ? [] : rows.map(({ file }) => file);
      } catch (error) {
        if (codeOf(error) === foreignKeyViolation) return [];
        throw error;
      }
    },

    /** Call it when removed files have been deleted from disk. */
    async forgetRemoved(files: readonly string[]): Promise<void> {
      await sql`delete from removed_file where name = any(${[...files]})`.execute(db);
    },

    /** All registered files, and removed ones that may not be deleted yet. Any other file is a stray. */
    async names(): Promise<Set<string>> {
      const { rows } = await sql<{ file: string }>`
        select file from run_file union all select name from removed_file
        where content = 'device sets'
      `.execute(db);
      return new Set(rows.map(({ file }) => file));
    },

    /**
     * Unregisters the files that never had a run. Their writers are gone: the database was restored
     * from an older backup. A newer backup may need the files, so they become strays.
     */
    async forgetUncommitted(): Promise<void> {
      await sql`
        delete from run_file
        where dropped_at is null
          and not exists (select from run where run.file = run_file.file)
          and not exists (
            select from universe_change where universe_change.file = run_file.file
          )
      `.execute(db);
    },

    /** The files without a run in the manifest: still being written, or no longer needed. */
    async withoutRuns(): Promise<Set<string>> {
      const { rows } = await sql<{ file: string }>`
        select file from run_file where not exists (select from run where run.file = run_file.file)
      `.execute(db);
      return new Set(rows.map(({ file }) => file));
    },

    /**
     * Files with dropped runs, and their runs that the manifest or a fold still needs. Leaves out
     * profiles, which are written again from their runs.
     */
    async withDroppedRuns(): Promise<FileWithDroppedRuns[]> {
      const { rows } = await sql<FileWithDroppedRuns>`
        select file, last_dropped_at::text as "lastDroppedAt", coalesce(
          array_agg(first_row_group) filter (where first_row_group is not null), '{}'
        ) as "firstRowGroups"
        from run_file left join (
          select file, first_row_group from run
          union select file, first_row_group from universe_change
        ) as used using (file)
        where dropped_at is not null and not exists (
          select from run join profile using (segment_id) where run.file = run_file.file
        )
        group by file
      `.execute(db);
      return rows;
    },

    /**
     * Call it when the devices of dropped runs are deleted. Files that lost a run since, or of which a
     * fold still needs one, keep their mark.
     */
    async forgetDropped(files: readonly FileWithDroppedRuns[]): Promise<void> {
      await sql`
        update run_file set dropped_at = null
        from unnest(
          ${files.map(({ file }) => file)}::text[],
          ${files.map(({ lastDroppedAt }) => lastDroppedAt)}::timestamptz[]
        ) as swept (file, at)
        where run_file.file = swept.file and last_dropped_at = swept.at
          and not exists (select from universe_change where universe_change.file = run_file.file)
      `.execute(db);
    },

    /**
     * The remaining runs of files that first had a run dropped that long ago, by file. Rewriting
     * them elsewhere frees the deleted bytes. Leaves out files that still wait for a fold, and
     * profiles, which are written again from their runs.
     */
    async runsToRewrite(afterSeconds: number): Promise<Run[][]> {
      const { rows } = await sql<Parameters<typeof toRun>[0]>`
        select run.* from run join run_file using (file) join segment using (segment_id)
        where kind <> 'profile' and dropped_at < now() - ${afterSeconds} * interval '1 second'
          and not exists (select from universe_change where universe_change.file = run.file)
        order by dropped_at, run_id
      `.execute(db);
      return [...Map.groupBy(rows.map(toRun), ({ file }) => file).values()];
    },
  };
}
