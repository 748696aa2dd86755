import { sql } from 'kysely';
import { atomically, type Database } from '../database/connection.ts';
import type { DropFileState, DropKind, DropOperation } from '../database/schema.ts';

/** A file for DROP that is in the object store. */
export interface NewDropFile {
  readonly name: string;
  readonly objectKey: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  readonly deletedRows: number;
  readonly notFoundRows: number;
}

export interface DropFile extends NewDropFile {
  readonly cycleId: number;
  /** 0 for the response, otherwise the number of the amendment. */
  readonly batch: number;
  readonly position: number;
  readonly state: DropFileState;
  readonly createdAt: Date;
  /** When it was first sent. */
  readonly sentAt: Date | null;
  /** The answer to an attempt was lost, so DROP may have the file. */
  readonly mayHaveArrived: boolean;
  readonly answeredAt: Date | null;
  readonly status: number | null;
  readonly answer: string | null;
}

/** Calls in a row with the same outcome. */
export interface DropCall {
  readonly cycleId: number | null;
  readonly operation: DropOperation;
  readonly calls: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly message: string;
}

/** An amendment whose devices may not be deleted yet. */
interface HeldAmendment {
  readonly cycleId: number;
  readonly batch: number;
  readonly foundVersion: number;
  /** Null: they are not removed. */
  readonly removedAt: Date | null;
}

type FileKey = Pick<DropFile, 'cycleId' | 'batch' | 'position'>;

export type DropFiles = ReturnType<typeof createDropFiles>;

const callColumns = [
  'cycle_id as cycleId',
  'operation',
  'calls',
  'first_at as firstAt',
  'last_at as lastAt',
  'status',
  'message',
] as const;

/** The files that DROP gets, and the calls of its API. */
export function createDropFiles(db: Database) {
  const selected = db
    .selectFrom('drop_file')
    .select([
      'cycle_id as cycleId',
      'batch',
      'position',
      'name',
      'object_key as objectKey',
      'bytes',
      'sha256',
      'deleted_rows as deletedRows',
      'not_found_rows as notFoundRows',
      'state',
      'created_at as createdAt',
      'sent_at as sentAt',
      'may_have_arrived as mayHaveArrived',
      'answered_at as answeredAt',
      'status',
      'answer',
    ])
    .orderBy('cycle_id')
    .orderBy('batch')
    .orderBy('position');

  return {
    ofCycle: (cycleId: number): Promise<DropFile[]> =>
      selected.where('cycle_id', '=', cycleId).execute(),

    /** Files of amendments that DROP has not accepted, of complete cycles. */
    openAmendments: (kind: DropKind): Promise<DropFile[]> =>
      selected
        .where('batch', '>', 0)
        .where('state', '=', 'ready')
        .where('cycle_id', 'in', (cycles) =>
          cycles
            .selectFrom('drop_cycle')
            .select('cycle_id')
            .where('kind', '=', kind)
            .where('state', '=', 'accepted'),
        )
        .execute(),

    /** It is held until the devices of that version are deleted. */
    addAmendment: (
      cycleId: number,
      batch: number,
      files: readonly NewDropFile[],
      foundVersion: number,
    ): Promise<void> =>
      atomically(db, (tx) => insertFiles(tx, cycleId, batch, files, foundVersion)),

    async heldAmendments(): Promise<HeldAmendment[]> {
      const { rows } = await sql<HeldAmendment>`
        select distinct cycle_id as "cycleId", batch, found_version as "foundVersion",
          removed_at as "removedAt"
        from drop_file where state = 'held' order by cycle_id, batch
      `.execute(db);
      return rows;
    },

    /** The devices of a held amendment are deleted. */
    async recordRemoved(cycleId: number, batch: number): Promise<void> {
      await sql`
        update drop_file set removed_at = now()
        where cycle_id = ${cycleId} and batch = ${batch} and state = 'held'
      `.execute(db);
    },

    /** Makes a held amendment ready. */
    async release(cycleId: number, batch: number): Promise<void> {
      await sql`
        update drop_file set state = 'ready'
        where cycle_id = ${cycleId} and batch = ${batch} and state = 'held'
      `.execute(db);
    },

    /** Call it before the file is sent. */
    async recordSending({ cycleId, batch, position }: FileKey): Promise<void> {
      await sql`
        update drop_file set sent_at = coalesce(sent_at, now()), may_have_arrived = true
        where cycle_id = ${cycleId} and batch = ${batch} and position = ${position}
      `.execute(db);
    },

    /** This attempt did not arrive. `file` is as it was before the attempt. */
    async recordRefusal({ cycleId, batch, position, mayHaveArrived }: DropFile): Promise<void> {
      await sql`
        update drop_file set may_have_arrived = ${mayHaveArrived}
        where cycle_id = ${cycleId} and batch = ${batch} and position = ${position}
      `.execute(db);
    },

    async recordAnswer(
      { cycleId, batch, position }: FileKey,
      state: DropFileState,
      status: number | null,
      answer: string,
    ): Promise<void> {
      await sql`
        update drop_file
        set state = ${state}, status = ${status}, answer = ${answer}, answered_at = now()
        where cycle_id = ${cycleId} and batch = ${batch} and position = ${position}
      `.execute(db);
    },

    /** The operator sent all files of the cycle by hand. */
    async acceptAll(cycleId: number, answer: string): Promise<void> {
      await sql`
        update drop_file set state = 'accepted', answer = ${answer}, answered_at = now()
        where cycle_id = ${cycleId} and state not in ('held', 'accepted')
      `.execute(db);
    },

    /** The operator wants them to be sent again. */
    async retryRejected(): Promise<void> {
      await sql`
        with retried as (
          update drop_file set state = 'ready' where state = 'rejected' returning cycle_id
        )
        update drop_cycle set problem = null, retry_at = null
        where state not in ('accepted', 'refused') or cycle_id in (select cycle_id from retried)
      `.execute(db);
    },

    /** Adds a call to the last row if its outcome is the same. */
    async recordCall(call: Omit<DropCall, 'calls' | 'firstAt' | 'lastAt'>): Promise<void> {
      const { cycleId, operation, status, message } = call;
      await sql`
        with latest as (
          select call_id, cycle_id, operation, status, message from drop_call
          order by call_id desc limit 1
        ),
        repeated as (
          update drop_call set calls = calls + 1, last_at = now()
          from latest where drop_call.call_id = latest.call_id
            and latest.cycle_id is not distinct from ${cycleId}::bigint
            and latest.operation = ${operation}
            and latest.status is not distinct from ${status}::integer
            and latest.message = ${message}
          returning drop_call.call_id
        )
        insert into drop_call (cycle_id, operation, status, message)
        select ${cycleId}::bigint, ${operation}, ${status}::integer, ${message}
        where not exists (select from repeated)
      `.execute(db);
    },

    callsOf: (cycleId: number): Promise<DropCall[]> =>
      db
        .selectFrom('drop_call')
        .select(callColumns)
        .where('cycle_id', '=', cycleId)
        .orderBy('call_id')
        .execute(),

    /** The latest calls, newest first. */
    latestCalls: (limit: number): Promise<DropCall[]> =>
      db
        .selectFrom('drop_call')
        .select(callColumns)
        .orderBy('call_id', 'desc')
        .limit(limit)
        .execute(),
  };
}

export async function insertFiles(
  tx: Database,
  cycleId: number,
  batch: number,
  files: readonly NewDropFile[],
  heldFor: number | null = null,
): Promise<void> {
  for (const [position, file] of files.entries()) {
    await tx
      .insertInto('drop_file')
      .values({
        cycle_id: cycleId,
        batch,
        position,
        name: file.name,
        object_key: file.objectKey,
        bytes: file.bytes,
        sha256: file.sha256,
        deleted_rows: file.deletedRows,
        not_found_rows: file.notFoundRows,
        state: heldFor === null ? 'ready' : 'held',
        found_version: heldFor,
      })
      .execute();
  }
}
