import { type RawBuilder, sql } from 'kysely';
import type { LoadState } from '../../domain/job.ts';
import { atomically, type Database } from '../database/connection.ts';
import { createJobs } from '../queue/jobs.ts';
import { createManifest } from '../warehouse/manifest.ts';
import { createSegments } from '../warehouse/segments.ts';
import { createAudienceLabels } from './audience-labels.ts';

/** Whose audiences are meant by who loads them: all of the partner's, or those of one customer. */
export interface LoaderScope {
  readonly partnerId: number;
  readonly customerId: number | null;
}

/** The same by who reads them: a customer sees its own, whichever partner loaded them. */
export type AudienceScope = LoaderScope | { readonly partnerId: null; readonly customerId: number };

export interface Audience {
  readonly audienceId: number;
  readonly segmentId: number;
  readonly name: string;
  readonly state: LoadState;
  readonly uploadedDevices: number;
  readonly uniqueDevices: number;
  readonly matchedDevices: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** One file of an audience, as it stands. */
export interface AudienceFile {
  readonly s3Path: string;
  readonly state: LoadState;
  readonly rowsUploaded: number;
  readonly updatedAt: Date;
}

export interface AudienceDetails extends Audience {
  /** In the order of their first load since the last clear. */
  readonly files: readonly AudienceFile[];
}

export type Audiences = ReturnType<typeof createAudiences>;

export function createAudiences(db: Database) {
  return {
    /** Makes an audience and queues the load of the files at, or below, a key of the shared bucket. */
    async create(
      scope: LoaderScope,
      name: string,
      path: string,
    ): Promise<{ audienceId: number; segmentId: number }> {
      return atomically(db, async (tx) => {
        const segmentId = await createSegments(tx).create('audience');
        const { audience_id, generation } = await tx
          .insertInto('audience')
          .values({
            partner_id: scope.partnerId,
            customer_id: scope.customerId,
            segment_id: segmentId,
            name,
            matched_version: sql`(select version from universe)`,
          })
          .returning(['audience_id', 'generation'])
          .executeTakeFirstOrThrow();
        await queue(tx, scope.partnerId, audience_id, generation, path);
        return { audienceId: audience_id, segmentId };
      });
    },

    /** Queues the load of more files. False if there is no such audience. */
    async append(scope: LoaderScope, audienceId: number, path: string): Promise<boolean> {
      return atomically(db, async (tx) => {
        const audience = await lock(tx, scope, audienceId);
        if (!audience) return false;
        await queue(tx, scope.partnerId, audienceId, audience.generation, path);
        return true;
      });
    },

    /** Empties an audience and cancels every load of it that has not ended. False if there is none. */
    async clear(scope: LoaderScope, audienceId: number): Promise<boolean> {
      return atomically(db, async (tx) => {
        const audience = await lock(tx, scope, audienceId);
        if (!audience) return false;
        const { rows: open } = await sql<{ jobId: number }>`
          select job_id as "jobId" from audience_load join job using (job_id)
          where audience_id = ${audienceId} and state in ('pending', 'running')
        `.execute(tx);
        await createJobs(tx).cancel(open.map(({ jobId }) => jobId));
        await tx
          .updateTable('audience')
          .set({
            generation: audience.generation + 1,
            uploaded_devices: 0,
            matched_devices: 0,
            matched_version: sql`(select version from universe)`,
            updated_at: sql`clock_timestamp()`,
          })
          .where('audience_id', '=', audienceId)
          .execute();
        for (const table of ['audience_file', 'composition'] as const) {
          await tx.deleteFrom(table).where('audience_id', '=', audienceId).execute();
        }
        const labels = createAudienceLabels(tx);
        const labelSegments = (await labels.of(audienceId)).map(({ segmentId }) => segmentId);
        await createManifest(tx).empty([audience.segment_id, ...labelSegments]);
        await labels.remove(labelSegments);
        return true;
      });
    },

    /** By id, those after `after`. */
    async list(
      scope: AudienceScope,
      { after, limit }: { readonly after: number; readonly limit: number | null },
    ): Promise<Audience[]> {
      const { rows } = await sql<Audience>`
        select ${audienceColumns} from ${audiences}
        where ${inScope(scope)} and audience_id > ${after}
        order by audience_id
        limit ${limit}
      `.execute(db);
      return rows;
    },

    async find(scope: AudienceScope, audienceId: number): Promise<Audience | undefined> {
      const { rows } = await sql<Audience>`
        select ${audienceColumns} from ${audiences}
        where ${inScope(scope)} and audience_id = ${audienceId}
      `.execute(db);
      return rows[0];
    },

    /** With its files, all as of one moment. */
    async details(scope: AudienceScope, audienceId: number): Promise<AudienceDetails | undefined> {
      const { rows } = await sql<Audience & { files: (AudienceFile & { updatedAt: string })[] }>`
        select ${audienceColumns}, (
          select coalesce(json_agg(json_build_object(
            's3Path', s3_path, 'state', ${fileState}, 'rowsUploaded', rows_uploaded,
            'updatedAt', file.updated_at
          ) order by entry_id), '[]')
          from audience_file as file join job using (job_id)
          where file.audience_id = audience.audience_id
        ) as files
        from ${audiences}
        where ${inScope(scope)} and audience_id = ${audienceId}
      `.execute(db);
      const found = rows[0];
      if (!found) return undefined;
      const files = found.files.map((file) => ({ ...file, updatedAt: new Date(file.updatedAt) }));
      return { ...found, files };
    },
  };
}

/** Held until the transaction ends: whoever changes an audience does so alone. */
async function lock(tx: Database, scope: LoaderScope, audienceId: number) {
  const { rows } = await sql<{ generation: number; segment_id: number }>`
    select generation, segment_id from audience
    where ${inScope(scope)} and audience_id = ${audienceId}
    for no key update
  `.execute(tx);
  return rows[0];
}

async function queue(
  tx: Database,
  partnerId: number,
  audienceId: number,
  generation: number,
  path: string,
): Promise<void> {
  const jobId = await createJobs(tx).submit(partnerId, 'audience');
  await tx
    .insertInto('audience_load')
    .values({ job_id: jobId, audience_id: audienceId, generation, path })
    .execute();
}

export function inScope({ partnerId, customerId }: AudienceScope): RawBuilder<boolean> {
  const ofPartner = sql<boolean>`audience.partner_id = ${partnerId}`;
  const ofCustomer = sql<boolean>`audience.customer_id = ${customerId}`;
  if (partnerId === null) return ofCustomer;
  return customerId === null ? ofPartner : sql<boolean>`${ofPartner} and ${ofCustomer}`;
}

/** What is under way of a file is under way only as long as the attempt that noted it holds its job. */
export const fileState = sql<LoadState>`
  case when file.state not in ('pending', 'running') then file.state
    when job.state = 'running' and job.attempt = file.attempt then file.state
    when job.state in ('pending', 'running') then 'pending'
    else 'failed' end
`;

/** Each audience with what it holds and what is done for it. */
export const audiences = sql`
  audience
  cross join lateral (
    select coalesce(sum(devices), 0)::bigint as unique_devices from run
    where run.segment_id = audience.segment_id
  ) as held
  cross join lateral (
    select max(job.updated_at) as updated_at,
      coalesce(bool_or(job.state = 'running'), false) as runs,
      coalesce(bool_or(job.state = 'pending'), false) as waits,
      coalesce((array_agg(job.state order by job_id desc))[1] = 'failed', false) as failed
    from audience_load join job using (job_id)
    where audience_load.audience_id = audience.audience_id
      and audience_load.generation = audience.generation
  ) as work
`;

export const audienceColumns = sql`
  audience.audience_id as "audienceId", audience.segment_id as "segmentId",
  audience.name,
  case when work.runs then 'running'
    when work.waits then 'pending'
    when work.failed or exists (
      select from audience_file
      where audience_file.audience_id = audience.audience_id and audience_file.state <> 'done'
    ) then 'failed'
    else 'done' end as state,
  uploaded_devices as "uploadedDevices", held.unique_devices as "uniqueDevices",
  matched_devices as "matchedDevices", audience.created_at as "createdAt",
  greatest(audience.updated_at, work.updated_at) as "updatedAt"
`;
