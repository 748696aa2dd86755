import { sql } from 'kysely';
import type { ImportProblem } from '../../domain/import-problems.ts';
import type { Database } from '../database/connection.ts';

/** The problems of an import, or of a file of an audience, as they are stored. */
export interface StoredProblems {
  readonly table: 'import_log' | 'audience_file';
  readonly id: number;
  readonly problems: readonly ImportProblem[];
}

const perPage = 1_000;
/** As in a text with an identifier, with or without hyphens. */
const identifier = '[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}';

export type ReportedValues = ReturnType<typeof createReportedValues>;

/** The values that problems quote from files. */
export function createReportedValues(db: Database) {
  function pageOf(table: StoredProblems['table'], after: number) {
    const [id, problems] =
      table === 'import_log' ? [sql`job_id`, sql`errors`] : [sql`entry_id`, sql`problems`];
    return sql<Omit<StoredProblems, 'table'>>`
      select ${id} as id, ${problems} as problems from ${sql.table(table)}
      where ${id} > ${after} and ${problems} is not null and ${problems}::text ~* ${identifier}
      order by ${id} limit ${perPage}
    `;
  }

  return {
    /** All stored problems whose values may have an identifier, a page at a time. */
    async *withIdentifiers(): AsyncGenerator<readonly StoredProblems[]> {
      for (const table of ['import_log', 'audience_file'] as const) {
        for (let last = 0; ; ) {
          const { rows } = await pageOf(table, last).execute(db);
          if (rows.length === 0) break;
          yield rows.map((row) => ({ table, ...row }));
          last = rows.at(-1)!.id;
        }
      }
    },

    /** Replaces problems, unless another load has replaced them. */
    async replace(
      { table, id, problems: before }: StoredProblems,
      problems: readonly ImportProblem[],
    ): Promise<void> {
      const [old, now] = [JSON.stringify(before), JSON.stringify(problems)];
      const replaced =
        table === 'import_log'
          ? sql`update import_log set errors = ${now} where job_id = ${id} and errors = ${old}::jsonb`
          : sql`
              update audience_file set problems = ${now}
              where entry_id = ${id} and problems = ${old}::jsonb
            `;
      await sql`
        with replaced as (${replaced})
        update suppression set has_masked_values = true where not has_masked_values
      `.execute(db);
    },
  };
}
