import { sql } from 'kysely';
import type { ImportProblem } from '../../domain/import-problems.ts';
import type { Database } from '../database/connection.ts';

export type AudienceProblems = ReturnType<typeof createAudienceProblems>;

/** What was wrong with what an audience was loaded from, since it was last cleared. */
export function createAudienceProblems(db: Database) {
  return {
    /**
     * By file, in the order in which they were first loaded, each as of its last load. After them,
     * if the load that ended last failed as a whole, why.
     */
    async list(audienceId: number): Promise<ImportProblem[]> {
      const { rows } = await sql<{ problem: ImportProblem }>`
        select problem from (
          select entry_id as file, ordinality as nth, problem
          from audience_file
          cross join jsonb_array_elements(problems) with ordinality as told (problem, ordinality)
          where audience_id = ${audienceId}
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
