import { sql } from 'kysely';
import type { Database } from './connection.ts';
import type { BackupAction, BackupState } from './schema.ts';

/** Something that was done, is being done or shall be done with backups. */
export interface BackupEntry {
  readonly backupId: number;
  readonly action: BackupAction;
  readonly target: string;
  readonly setName: string | null;
  readonly state: BackupState;
  readonly requestedAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly files: number | null;
  readonly bytes: number | null;
  readonly newBytes: number | null;
  readonly problem: string | null;
}

/** The size of a set, as it is recorded. */
export interface BackupSize {
  readonly files: number;
  readonly bytes: number;
  readonly newBytes: number;
}

/** Older entries are deleted. */
const keptEntries = 1_000;

export type Backups = ReturnType<typeof createBackups>;

export function createBackups(db: Database) {
  const selected = db
    .selectFrom('backup')
    .select([
      'backup_id as backupId',
      'action',
      'target',
      'set_name as setName',
      'state',
      'requested_at as requestedAt',
      'started_at as startedAt',
      'ended_at as endedAt',
      'bytes_done as bytesDone',
      'bytes_total as bytesTotal',
      'files',
      'bytes',
      'new_bytes as newBytes',
      'problem',
    ]);

  async function failAbandoned(): Promise<void> {
    await sql`
      update backup set state = 'failed', ended_at = now(),
        problem = 'The process that did it ended unexpectedly.'
      where state = 'running'
    `.execute(db);
  }

  return {
    /** Leaves it to a worker. Returns the entry that waits already, if it is the same. */
    async request(action: BackupAction, target: string, setName: string | null): Promise<number> {
      const { rows } = await sql<{ backupId: number }>`
        with waiting as (
          select backup_id from backup
          where state = 'pending' and action = ${action} and target = ${target}
            and set_name is not distinct from ${setName}::text
        ),
        inserted as (
          insert into backup (action, target, set_name)
          select ${action}, ${target}, ${setName} where not exists (select from waiting)
          returning backup_id
        )
        select backup_id as "backupId" from waiting union all select backup_id from inserted
        limit 1
      `.execute(db);
      return rows[0]!.backupId;
    },

    /** The oldest entry that waits for a worker. */
    nextPending: (): Promise<BackupEntry | undefined> =>
      selected.where('state', '=', 'pending').orderBy('backup_id').limit(1).executeTakeFirst(),

    find: (backupId: number): Promise<BackupEntry | undefined> =>
      selected.where('backup_id', '=', backupId).executeTakeFirst(),

    /** Newest first, those with an id below `before`. */
    list: (limit: number, before: number | null): Promise<BackupEntry[]> =>
      selected
        .$if(before !== null, (query) => query.where('backup_id', '<', before))
        .orderBy('backup_id', 'desc')
        .limit(limit)
        .execute(),

    async isRunning(): Promise<boolean> {
      const found = await selected.where('state', '=', 'running').limit(1).executeTakeFirst();
      return found !== undefined;
    },

    /** Call it under the lock: whatever is running was abandoned by a process that died. */
    failAbandoned,

    /** Call it under the lock. Begins the entry with that id, or a new one. */
    async begin(
      entry: number | { readonly action: BackupAction; readonly target: string },
      setName: string | null,
    ): Promise<number> {
      await failAbandoned();
      await sql`
        delete from backup where backup_id <= (select max(backup_id) from backup) - ${keptEntries}
      `.execute(db);
      if (typeof entry === 'number') {
        await sql`
          update backup set state = 'running', started_at = now(), set_name = ${setName}
          where backup_id = ${entry}
        `.execute(db);
        return entry;
      }
      const { rows } = await sql<{ backupId: number }>`
        insert into backup (action, target, set_name, state, started_at)
        values (${entry.action}, ${entry.target}, ${setName}, 'running', now())
        returning backup_id as "backupId"
      `.execute(db);
      return rows[0]!.backupId;
    },

    /** Ends an entry that no worker can begin. */
    async refuse(backupId: number, problem: string): Promise<void> {
      await sql`
        update backup set state = 'failed', ended_at = now(), problem = ${problem}
        where backup_id = ${backupId} and state = 'pending'
      `.execute(db);
    },

    async recordProgress(backupId: number, done: number, total: number): Promise<void> {
      await sql`
        update backup set bytes_done = ${done}, bytes_total = ${total}
        where backup_id = ${backupId} and state = 'running'
      `.execute(db);
    },

    /** `problem` of a set that is complete says what it lacks. */
    async finish(
      backupId: number,
      state: 'done' | 'failed',
      problem: string | null,
      size: BackupSize | null = null,
    ): Promise<void> {
      await sql`
        update backup set state = ${state}, ended_at = now(), problem = ${problem},
          files = ${size?.files ?? null}, bytes = ${size?.bytes ?? null},
          new_bytes = ${size?.newBytes ?? null}
        where backup_id = ${backupId} and state = 'running'
      `.execute(db);
    },

    /** The newest complete set of a target, and the latest attempt to make one. Null: of any target. */
    async latest(
      target: string | null,
    ): Promise<{ success: BackupEntry | undefined; attempt: BackupEntry | undefined }> {
      const creations = selected
        .$if(target !== null, (query) => query.where('target', '=', target))
        .where('action', '=', 'create')
        .where('state', '<>', 'pending')
        .orderBy('backup_id', 'desc')
        .limit(1);
      const [success, attempt] = await Promise.all([
        creations.where('state', '=', 'done').executeTakeFirst(),
        creations.executeTakeFirst(),
      ]);
      return { success, attempt };
    },
  };
}
