import { sql } from 'kysely';
import type { ImportProblem } from '../../domain/import-problems.ts';
import type { Database } from '../database/connection.ts';

export type AudienceProblems = ReturnType<typeof createAudienceProblems>;

/** The problems in an audience's files and loads since its last clear. */
export function createAudienceProblems(db: Database) {
  return {
    /**
     * The problems of each file's last load, in the order of the files' first load. Then, if the
     * latest load failed as a whole, the reason.
     */
    async list(audienceId: number): Promise<ImportProblem[]> {
      const { rows } = await sql<{ problem: ImportProblem }>`
        select problem from (
          select entry_id as file, ordinality as nth, problem
          from audience_file
          cross join jsonb_array_elements(problems) with ordinality as entry (problem, ordinality)
          where audience_id = ${audienceId} and problems is not null
          union all
          select null, null, problem from (
            select problem from audience_load join job using (job_id)
            join audience using (audience_id, generation)
            where audience_id = ${audienceId} and state in ('done', 'failed')
            order by job_id desc
            limit 1
          ) as latest
          where problem is not null
        ) as problems
        order by file, nth
      `.execute(db);
      return rows.map(({ problem }) => problem);
    },
  };
}
