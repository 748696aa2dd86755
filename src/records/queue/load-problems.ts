import { type RawBuilder, sql } from 'kysely';
import { failureCodes, rejectCodes } from '../../domain/import-problems.ts';

/** A load may have a million files. */
const filesWithProblems = 1_000;

/**
 * The problems of the files of an `audience_load`, of the first files that have any. Files that are
 * pending or running are left out, because they still have the problems of their previous load.
 */
export const fileProblems = sql`
  select entry_id as nth, problems, jsonb_array_length(problems) as count
  from audience_file as file
  where file.audience_id = audience_load.audience_id and file.job_id = audience_load.job_id
    and file.state in ('done', 'failed') and file.problems is not null
  order by entry_id
  limit ${filesWithProblems}
`;

/** How many `problems` lists with `nth`, `problems` and `count` have, and the failure or else the first of them. */
export function summaryOf(lists: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select coalesce(sum(found.count), 0)::bigint as problems,
      coalesce(
        (array_agg(failure order by nth) filter (where failure is not null))[1],
        (array_agg(found.problems -> 0 order by nth) filter (where found.problems is not null))[1]
      ) as problem
    from (${lists}) as found
    cross join lateral jsonb_path_query_first(
      found.problems, '$[*] ? (@.code == $failures[*])', ${JSON.stringify({ failures: failureCodes })}
    ) as failure
  `;
}

/** How many rows the problems in lists with `problems` rejected. */
export function rejectedRowsOf(lists: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select coalesce(sum((entry ->> 'count')::bigint), 0)::bigint as rows
    from (${lists}) as found
    cross join lateral jsonb_array_elements(found.problems) as entry
    where entry ->> 'code' = any(${[...rejectCodes]}::text[])
  `;
}
