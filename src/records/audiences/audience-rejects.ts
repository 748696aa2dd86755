import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { rowsPerDelete } from '../database/delete-in-batches.ts';
import {
  deleteRejects,
  type PositionedReject,
  type Reject,
  rejectPages,
  rejectsPerPage,
} from '../queue/rejects.ts';
import { fileState } from './audience-sql.ts';

/** A file of an audience, and the attempt that wrote its rejects. */
interface RejectingFile {
  readonly s3Path: string;
  readonly jobId: number;
  readonly attempt: number;
  readonly position: number;
}

export type AudienceRejects = ReturnType<typeof createAudienceRejects>;

/** The rejects of the files of an audience, each file as of its latest load. */
export function createAudienceRejects(db: Database) {
  return {
    /** Reads them by file, in the order of the files' first load, and line, a page at a time. */
    async *read(audienceId: number): AsyncGenerator<readonly Reject[]> {
      const { rows: files } = await sql<RejectingFile>`
        select s3_path as "s3Path", job_id as "jobId", file.attempt, position
        from audience_file as file join job using (job_id)
        where audience_id = ${audienceId} and ${fileState} <> 'pending'
          and exists (
            select from import_reject as reject
            where reject.job_id = file.job_id and reject.attempt = file.attempt
              and reject.position = file.position
          )
        order by entry_id
      `.execute(db);
      // One file after the other. A query over all files would sort all their rejects for each page.
      for (const { s3Path, jobId, attempt, position } of files) {
        yield* rejectPages(
          db,
          (last) => sql<PositionedReject>`
            select ${position}::integer as position, ${s3Path}::text as "s3Path", line, code, original
            from import_reject
            where job_id = ${jobId} and attempt = ${attempt} and position = ${position}
              and line > ${last.line}
            order by line
            limit ${rejectsPerPage}
          `,
        );
      }
    },

    /** Deletes the rejects of those files. */
    async removeOfFiles(audienceId: number, s3Paths: readonly string[]): Promise<void> {
      // `offset 0` looks each file up in the index, instead of reading the rejects of all audiences.
      const rejects = sql`
        select reject.ctid from audience_file as file
        cross join lateral (
          select ctid from import_reject
          where job_id = file.job_id and attempt = file.attempt and position = file.position
          offset 0
        ) as reject
        where audience_id = ${audienceId} and s3_path = any(${s3Paths}::text[])
        limit ${rowsPerDelete}
      `;
      await deleteRejects(db, sql`ctid = any(array(${rejects}))`);
    },
  };
}
