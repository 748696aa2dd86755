import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import type { Claim } from './jobs.ts';

/** Files of a partner in the shared bucket. */
interface PartnerFiles {
  readonly partnerId: number;
  readonly prefix: string;
  readonly keys: readonly string[];
}

export type LoadedFiles = ReturnType<typeof createLoadedFiles>;

/** When files of the shared bucket were last loaded. */
export function createLoadedFiles(db: Database) {
  return {
    /** Notes that all files of the import are loaded; call it in the transaction that commits it. */
    async addImport({ jobId, attempt }: Claim): Promise<void> {
      await noteLoaded(sql`
        select s3_path from import_file where job_id = ${jobId} and attempt = ${attempt}
      `).execute(db);
    },

    /** Those of the files that were not loaded since then, and that no open job may read. */
    async unused({ partnerId, prefix, keys }: PartnerFiles, since: Date): Promise<Set<string>> {
      // A job reads the keys that begin with its path. So each beginning of a key is looked up among
      // the paths, which takes one pass over both however many jobs are open.
      const { rows } = await sql<{ key: string }>`
        with given as (select key from unnest(${[...keys]}::text[]) as key), waiting as (
          select coalesce(audience_load.path, ${prefix}::text || regexp_replace(file_path, '^/', '')) as path
          from job left join import_log using (job_id) left join audience_load using (job_id)
          where partner_id = ${partnerId} and state in ('pending', 'running')
            and kind <> 'deletion' and path_type is distinct from 1
        ), needed as (
          select key from given cross join generate_series(1, length(key)) as size
          join waiting on path = left(key, size)
        )
        select key from given
        where key not in (select key from needed)
          and not exists (
            select from loaded_file where loaded_file.key = given.key and loaded_at >= ${since}
          )
      `.execute(db);
      return new Set(rows.map(({ key }) => key));
    },

    async forget(keys: readonly string[]): Promise<void> {
      await sql`delete from loaded_file where key = any(${[...keys]}::text[])`.execute(db);
    },

    /** Deletes the entries of files that were last loaded more than `days` ago. Returns how many. */
    prune: (days: number) =>
      deleteInBatches(db, 'loaded_file', sql`loaded_at < now() - ${days} * interval '1 day'`),
  };
}

/** Notes that the files of a query with the column `s3_path` are loaded. */
export function noteLoaded(files: RawBuilder<unknown>) {
  return sql`
    insert into loaded_file (key, loaded_at)
    select distinct s3_path, now() from (${files}) as files
    on conflict (key) do update set loaded_at = excluded.loaded_at
  `;
}
