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
/** The problems of loaded files have larger numbers than those of failed ones. */
const loadedFiles = 2 ** 52;

export type AudienceProblems = ReturnType<typeof createAudienceProblems>;

/** The problems in an audience's files and loads since its last clear. */
export function createAudienceProblems(db: Database) {
  return {
    /**
     * If the latest load failed as a whole, the reason. Then the problems of each file's last load: files
     * that failed, then loaded ones, both in the order of their first load.
     */
    async list(audienceId: number, { after, limit }: Page): Promise<ListedProblem[]> {
      const last = after ?? 0;
      const firstFailed = last < loadedFiles ? fileOf(last) : null;
      const firstLoaded = fileOf(Math.max(last - loadedFiles, 0));
      const { rows } = await sql<ListedProblem>`
        select number, problem from (
          select entry_id * ${numbersPerFile}::bigint + ordinality
            + case ended_as when 'failed' then 0 else ${loadedFiles}::bigint end as number, problem
          from audience_file
          cross join jsonb_array_elements(problems) with ordinality as entry (problem, ordinality)
          where audience_id = ${audienceId} and problems is not null
            and entry_id >= case ended_as when 'failed' then ${firstFailed}::bigint else ${firstLoaded} end
          union all
          select 1, problem from (
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

function fileOf(number: number): number {
  return Math.floor(number / numbersPerFile);
}
