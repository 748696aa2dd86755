import { sql } from 'kysely';
import type { ImportProblem } from '../../domain/import-problems.ts';
import type { Page } from '../../domain/page.ts';
import type { Database } from '../database/connection.ts';

interface ListedProblem {
  /** The place of the problem in the list. It does not change while the file is not loaded again. */
  readonly number: number;
  readonly problem: ImportProblem;
}

/** More than a file has problems. */
const numbersPerFile = 10_000;

export type AudienceProblems = ReturnType<typeof createAudienceProblems>;

/** The problems in an audience's files and loads since its last clear. */
export function createAudienceProblems(db: Database) {
  return {
    /**
     * The problems of each file's last load, in the order of the files' first load. Then, if the
     * latest load failed as a whole, the reason.
     */
    async list(audienceId: number, { after, limit }: Page): Promise<ListedProblem[]> {
      const last = after ?? 0;
      const { rows } = await sql<ListedProblem>`
        select number, problem from (
          select entry_id * ${numbersPerFile}::bigint + ordinality as number, problem
          from audience_file
          cross join jsonb_array_elements(problems) with ordinality as entry (problem, ordinality)
          where audience_id = ${audienceId} and problems is not null
            and entry_id >= ${Math.floor(last / numbersPerFile)}
          union all
          select ${Number.MAX_SAFE_INTEGER}::bigint, problem from (
            select problem from audience_load join job using (job_id)
            join audience using (audience_id, generation)
            where audience_id = ${audienceId} and state in ('done', 'failed', 'cancelled')
            order by job_id desc
            limit 1
          ) as latest
          where problem is not null
        ) as problems
        where number > ${last}
        order by number
        limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}
