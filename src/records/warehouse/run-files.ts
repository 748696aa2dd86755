import { sql } from 'kysely';
import { codeOf } from '../../domain/errors.ts';
import type { Database } from '../database/connection.ts';
import { type Run, toRun } from './manifest.ts';

/** Who writes a file: an attempt at a job, or nobody's job, which is maintenance. */
export interface NewRunFile {
  readonly file: string;
  readonly jobId: number | null;
  readonly attempt: number | null;
}

const foreignKeyViolation = '23503';

export type RunFiles = ReturnType<typeof createRunFiles>;

/** The files that the manifest's runs lie in, from before they are made until they are removed. */
export function createRunFiles(db: Database) {
  return {
    /**
     * Before the file is made: from then on the sweep knows whose it is. False if it was announced
     * before.
     */
    async announce({ file, jobId, attempt }: NewRunFile): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('run_file')
        .values({ file, job_id: jobId, attempt })
        .onConflict((conflict) => conflict.column('file').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },

    /** For what takes long to write: the grace begins anew. False if the sweep has taken it. */
    async renew(file: string): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update run_file set created_at = clock_timestamp() where file = ${file}
      `.execute(db);
      return numAffectedRows === 1n;
    },

    /**
     * Strikes off the files that nothing refers to and nothing will: those of attempts that can no
     * longer commit, and others once their last run, or their writer, has been gone for the grace.
     * They may be removed afterwards; whoever still meant to commit one gets a conflict. A row that
     * a commit holds is passed over. One that it let go of a moment ago, unseen by our snapshot, is
     * saved by its runs' foreign key: nothing is struck off then, until the next time.
     */
    async strikeOff(graceSeconds: number): Promise<string[]> {
      try {
        const { rows } = await sql<{ file: string }>`
          delete from run_file
          where file in (
            select file from run_file
            left join job using (job_id)
            where not exists (select from run where run.file = run_file.file)
              and not exists (
                select from universe_change where universe_change.file = run_file.file
              )
              and case
                when job.job_id is not null and dropped_at is null
                  then job.attempt > run_file.attempt or job.state <> 'running'
                else coalesce(dropped_at, run_file.created_at)
                  < now() - ${graceSeconds} * interval '1 second'
              end
            for update of run_file skip locked
          )
          returning file
        `.execute(db);
        return rows.map(({ file }) => file);
      } catch (error) {
        if (codeOf(error) === foreignKeyViolation) return [];
        throw error;
      }
    },

    /** Every file that is not to be taken for a stray. */
    async names(): Promise<Set<string>> {
      const rows = await db.selectFrom('run_file').select('file').execute();
      return new Set(rows.map(({ file }) => file));
    },

    /** The files that hold no run of the manifest: being written, or of no use any more. */
    async withoutRuns(): Promise<Set<string>> {
      const { rows } = await sql<{ file: string }>`
        select file from run_file where not exists (select from run where run.file = run_file.file)
      `.execute(db);
      return new Set(rows.map(({ file }) => file));
    },

    /** Files that lost a run, and which of theirs are still of use: to the manifest or to a fold. */
    async losers(): Promise<{ file: string; firstRowGroups: number[] }[]> {
      const { rows } = await sql<{ file: string; firstRowGroups: number[] }>`
        select file, coalesce(
          array_agg(first_row_group) filter (where first_row_group is not null), '{}'
        ) as "firstRowGroups"
        from run_file left join (
          select file, first_row_group from run
          union select file, first_row_group from universe_change
        ) as used using (file)
        where dropped_at is not null
        group by file
      `.execute(db);
      return rows;
    },

    /**
     * The runs left in files that lost others so long ago, file by file: rewritten elsewhere, they
     * let the deleted bytes go. Files whose runs the universe has not seen yet come later.
     */
    async withDeleted(afterSeconds: number): Promise<Run[][]> {
      const { rows } = await sql<Parameters<typeof toRun>[0]>`
        select run.* from run join run_file using (file)
        where dropped_at < now() - ${afterSeconds} * interval '1 second'
          and not exists (select from universe_change where universe_change.file = run.file)
        order by dropped_at, run_id
      `.execute(db);
      return [...Map.groupBy(rows.map(toRun), ({ file }) => file).values()];
    },
  };
}
