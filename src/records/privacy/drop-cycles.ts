import { sql } from 'kysely';
import { atomically, type Database } from '../database/connection.ts';
import type { DropKind, DropList, DropState } from '../database/schema.ts';
import { insertFiles, type NewDropFile } from './drop-files.ts';

/** An archive of DROP and what became of it. */
export interface DropCycle {
  readonly cycleId: number;
  readonly kind: DropKind;
  readonly state: DropState;
  /** Where its objects are. Ends in a slash. */
  readonly folder: string;
  readonly archiveName: string;
  readonly archiveBytes: number | null;
  readonly archiveSha256: Buffer | null;
  readonly version: number | null;
  /** The version of the devices that matched. */
  readonly foundVersion: number | null;
  /** The object that says which rows matched. */
  readonly matchesKey: string | null;
  readonly lists: readonly DropList[];
  /** Rows with an id and a hash, in the lists that are processed. */
  readonly itemRows: number;
  readonly malformedRows: number;
  /** Rows whose id came before. They are answered once. */
  readonly repeatedRows: number;
  readonly removedRows: number;
  readonly liftedRows: number;
  readonly problem: string | null;
  /** Its last step failed, and is repeated. */
  readonly hasFailed: boolean;
  /** It is not repeated yet. */
  readonly isWaiting: boolean;
  /** DROP began to deliver the archive. */
  readonly hasTransfer: boolean;
  readonly startedAt: Date;
  readonly downloadedAt: Date | null;
  readonly suppressedAt: Date | null;
  readonly matchedAt: Date | null;
  readonly removedAt: Date | null;
  readonly deletedAt: Date | null;
  readonly answeredAt: Date | null;
  readonly liftedAt: Date | null;
  readonly endedAt: Date | null;
}

/** What is recorded with a state. */
interface StepOutcome {
  readonly version?: number;
  readonly foundVersion?: number;
  readonly matchesKey?: string;
  readonly lists?: readonly DropList[];
  readonly itemRows?: number;
  readonly malformedRows?: number;
  readonly repeatedRows?: number;
  readonly removedRows?: number;
  readonly liftedRows?: number;
  readonly files?: readonly NewDropFile[];
  readonly problem?: string | null;
}

interface ArchiveFile {
  readonly bytes: number;
  readonly sha256: Buffer;
}

/** The column that says when a cycle reached the state. */
const reachedColumn = {
  suppressed: 'suppressed_at',
  matched: 'matched_at',
  removed: 'removed_at',
  deleted: 'deleted_at',
  answered: 'answered_at',
  lifted: 'lifted_at',
  accepted: 'ended_at',
  refused: 'ended_at',
} as const satisfies Partial<Record<DropState, string>>;

export type DropCycles = ReturnType<typeof createDropCycles>;

/** The cycles of DROP. A step is recorded only if its cycle is still in the state before it. */
export function createDropCycles(db: Database) {
  const selected = db
    .selectFrom('drop_cycle')
    .select([
      'cycle_id as cycleId',
      'kind',
      'state',
      'folder',
      'archive_name as archiveName',
      'archive_bytes as archiveBytes',
      'archive_sha256 as archiveSha256',
      'version',
      'found_version as foundVersion',
      'matches_key as matchesKey',
      'lists',
      'item_rows as itemRows',
      'malformed_rows as malformedRows',
      'repeated_rows as repeatedRows',
      'removed_rows as removedRows',
      'lifted_rows as liftedRows',
      'problem',
      sql<boolean>`retry_at is not null`.as('hasFailed'),
      sql<boolean>`coalesce(retry_at > now(), false)`.as('isWaiting'),
      sql<boolean>`transfer_at is not null`.as('hasTransfer'),
      'started_at as startedAt',
      'downloaded_at as downloadedAt',
      'suppressed_at as suppressedAt',
      'matched_at as matchedAt',
      'removed_at as removedAt',
      'deleted_at as deletedAt',
      'answered_at as answeredAt',
      'lifted_at as liftedAt',
      'ended_at as endedAt',
    ]);

  return {
    /** Before DROP is asked for an archive, so that a crash cannot hide that it may have delivered one. */
    async beginDownload(folder: string): Promise<number> {
      const { rows } = await sql<{ cycleId: number }>`
        insert into drop_cycle (kind, state, folder, archive_name)
        values ('api', 'downloading', ${folder}, 'archive.zip')
        returning cycle_id as "cycleId"
      `.execute(db);
      return rows[0]!.cycleId;
    },

    /** DROP delivers the archive. */
    async recordTransfer(cycleId: number, name: string | null): Promise<void> {
      await sql`
        update drop_cycle set transfer_at = now(), archive_name = coalesce(${name}, archive_name)
        where cycle_id = ${cycleId} and state = 'downloading'
      `.execute(db);
    },

    /** The archive is stored. */
    async recordDownload(cycleId: number, { bytes, sha256 }: ArchiveFile): Promise<void> {
      await sql`
        update drop_cycle set state = 'downloaded', downloaded_at = now(), archive_bytes = ${bytes},
          archive_sha256 = ${sha256}, problem = null
        where cycle_id = ${cycleId} and state = 'downloading'
      `.execute(db);
    },

    /** DROP delivered no archive. */
    async forgetDownload(cycleId: number): Promise<void> {
      await sql`
        delete from drop_cycle
        where cycle_id = ${cycleId} and state = 'downloading' and transfer_at is null
      `.execute(db);
    },

    /** A cycle whose archive the operator brought and which is stored, or the one that has that archive. */
    addManual: (
      folder: string,
      archiveName: string,
      { bytes, sha256 }: ArchiveFile,
    ): Promise<{ cycleId: number; isNew: boolean }> =>
      atomically(db, async (tx) => {
        // One at a time, so that the same archive cannot be added twice.
        await sql`lock table drop_cycle in share row exclusive mode`.execute(tx);
        const { rows } = await sql<{ cycleId: number; isNew: boolean }>`
          with existing as (
            select cycle_id from drop_cycle
            where archive_sha256 = ${sha256}::bytea and state <> 'refused' limit 1
          ),
          added as (
            insert into drop_cycle
              (kind, state, folder, archive_name, archive_bytes, archive_sha256, downloaded_at)
            select 'manual', 'downloaded', ${folder}, ${archiveName}, ${bytes}::bigint,
              ${sha256}::bytea, now()
            where not exists (select from existing)
            returning cycle_id
          )
          select cycle_id as "cycleId", false as "isNew" from existing
          union all select cycle_id, true from added
        `.execute(tx);
        return rows[0]!;
      }),

    /** False if the cycle is in another state by now, and nothing was recorded. */
    recordStep: (
      cycleId: number,
      from: DropState,
      to: keyof typeof reachedColumn,
      outcome: StepOutcome = {},
    ): Promise<boolean> =>
      atomically(db, async (tx) => {
        const { files = [], lists, ...counts } = outcome;
        const { numUpdatedRows } = await tx
          .updateTable('drop_cycle')
          .set({
            state: to,
            problem: counts.problem ?? null,
            retry_at: null,
            [reachedColumn[to]]: sql`now()`,
            ...(lists === undefined ? {} : { lists: JSON.stringify(lists) }),
            ...(counts.version === undefined ? {} : { version: counts.version }),
            ...(counts.foundVersion === undefined ? {} : { found_version: counts.foundVersion }),
            ...(counts.matchesKey === undefined ? {} : { matches_key: counts.matchesKey }),
            ...(counts.itemRows === undefined ? {} : { item_rows: counts.itemRows }),
            ...(counts.malformedRows === undefined ? {} : { malformed_rows: counts.malformedRows }),
            ...(counts.repeatedRows === undefined ? {} : { repeated_rows: counts.repeatedRows }),
            ...(counts.removedRows === undefined ? {} : { removed_rows: counts.removedRows }),
            ...(counts.liftedRows === undefined ? {} : { lifted_rows: counts.liftedRows }),
          })
          .where('cycle_id', '=', cycleId)
          .where('state', '=', from)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await insertFiles(tx, cycleId, 0, files);
        return true;
      }),

    /** With a time, it is that of a step that is repeated after that many seconds. */
    async recordProblem(
      cycleId: number,
      problem: string | null,
      retrySeconds: number | null = null,
    ): Promise<void> {
      await sql`
        update drop_cycle set problem = ${problem},
          retry_at = now() + make_interval(secs => ${retrySeconds}::double precision)
        where cycle_id = ${cycleId}
      `.execute(db);
    },

    find: (cycleId: number): Promise<DropCycle | undefined> =>
      selected.where('cycle_id', '=', cycleId).executeTakeFirst(),

    /** Newest first, those with an id below `before`. */
    list: (limit: number, before: number | null): Promise<DropCycle[]> =>
      selected
        .$if(before !== null, (query) => query.where('cycle_id', '<', before))
        .orderBy('cycle_id', 'desc')
        .limit(limit)
        .execute(),

    /** The cycles with work to do, oldest first. */
    open: (): Promise<DropCycle[]> =>
      selected.where('state', 'not in', ['accepted', 'refused']).orderBy('cycle_id').execute(),

    /** The same, and archives that cannot be used, until the operator closes them. */
    unsettled: (): Promise<DropCycle[]> =>
      selected.where('state', '<>', 'accepted').orderBy('cycle_id').execute(),

    /** The cycles that are complete, oldest first. */
    accepted: (): Promise<DropCycle[]> =>
      selected.where('state', '=', 'accepted').orderBy('cycle_id').execute(),

    /** The cycles whose lists were suppressed, oldest first. */
    suppressed: (): Promise<DropCycle[]> =>
      selected.where('suppressed_at', 'is not', null).orderBy('cycle_id').execute(),
  };
}
