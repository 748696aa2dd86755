import { sql } from 'kysely';
import { codeOf } from '../../domain/errors.ts';
import type { ClickhouseAddress, WarehouseAddress } from '../../domain/warehouse/address.ts';
import { atomically, type Database, violates } from '../database/connection.ts';
import type { PlaceKind, WarehouseCopyState } from '../database/schema.ts';
import { refuseNewerSchema } from '../database/schema-version.ts';
import type { Sealing } from '../database/sealing.ts';
import { type Run, type StagedRun, toRun } from './manifest.ts';
import { closeManifest, currentCopy } from './manifest-gate.ts';
import { switchPlace } from './switch-place.ts';

/** A place of the device sets. */
export interface WarehousePlace {
  readonly kind: PlaceKind;
  /** For people, without credentials. */
  readonly address: string;
  /** Null if it is not claimed yet. */
  readonly mark: string | null;
  /** How to reach ClickHouse. Null for a folder, or for a place that only the settings name. */
  readonly clickhouse: WarehouseAddress;
}

export interface WarehouseCopy {
  readonly copyId: number;
  readonly state: WarehouseCopyState;
  readonly requestedAt: Date;
  readonly endedAt: Date | null;
  readonly to: WarehousePlace;
  /** Null before the switch. */
  readonly from: WarehousePlace | null;
  readonly comparedSegments: number | null;
  readonly comparedDevices: number | null;
  readonly copiedDevices: number | null;
  /** Why the copy does not continue at the moment. */
  readonly problem: string | null;
}

/** The place in use, and the copy that brought the device sets there; null: they were never moved. */
export interface CurrentPlace extends WarehousePlace {
  readonly copyId: number | null;
}

/** A run of the manifest, and its copy in the new place. */
export interface CopiedRun {
  readonly run: Run;
  readonly copy: StagedRun;
}

export interface CopyProgress {
  readonly runs: number;
  readonly copiedRuns: number;
  readonly devices: number;
  readonly copiedDevices: number;
}

/** What was compared between both places. */
export interface Comparison {
  readonly segments: number;
  readonly devices: number;
}

export type SwitchOutcome = 'switched' | 'too much left' | 'stopped';

type RunRow = Parameters<typeof toRun>[0];

/** The most that the switch copies while all changes wait. It takes about a second. */
const mostLeft = { runs: 500, devices: 200_000 };
/** How long the switch waits for running changes. New changes wait behind it. */
const gateTimeoutMs = 4_000;
/** Less than the time after which the server ends an idle transaction. */
const keepAliveMs = 2_000;
const lockNotAvailable = '55P03';

/** Where the devices of all segments are. Profiles are not copied, but written again in the new place. */
const neededRuns = sql`(
  select run_id, segment_id, file, first_row_group, row_groups, devices, bytes
  from run where segment_id not in (select segment_id from profile)
  union
  select run_id, segment_id, file, first_row_group, row_groups, devices, bytes
  from universe_change
)`;

export type WarehouseCopies = ReturnType<typeof createWarehouseCopies>;

/** Copies of the device sets. At most two places exist: the one in use, and an old or a new one. */
export function createWarehouseCopies(db: Database, sealing: Sealing) {
  function opened(sealed: Buffer | null, context: string): WarehouseAddress {
    return sealed && (JSON.parse(sealing.open(sealed, context)) as ClickhouseAddress);
  }

  function toCopy(row: CopyRow): WarehouseCopy {
    const { copy_id: copyId } = row;
    return {
      copyId,
      state: row.state,
      requestedAt: row.requested_at,
      endedAt: row.ended_at,
      to: {
        kind: row.to_kind,
        address: row.to_address,
        mark: row.to_mark,
        clickhouse: opened(row.sealed_to, copyContext('to', copyId)),
      },
      from: row.from_kind && {
        kind: row.from_kind,
        address: row.from_address!,
        mark: row.from_mark,
        clickhouse: opened(row.sealed_from, copyContext('from', copyId)),
      },
      comparedSegments: row.compared_segments,
      comparedDevices: row.compared_devices,
      copiedDevices: row.copied_devices,
      problem: row.problem,
    };
  }

  async function find(copyId: number): Promise<WarehouseCopy | undefined> {
    const row = await db
      .selectFrom('warehouse_copy')
      .selectAll()
      .where('copy_id', '=', copyId)
      .executeTakeFirst();
    return row && toCopy(row);
  }

  return {
    find,

    /** Where the device sets are. Undefined before the first start. */
    async place(): Promise<CurrentPlace | undefined> {
      const row = await db
        .selectFrom('place')
        .selectAll()
        .where('content', '=', 'device sets')
        .executeTakeFirst();
      if (!row) return undefined;
      const { kind, mark, address, copy_id: copyId } = row;
      const copy = copyId === null ? undefined : await find(copyId);
      return { kind, mark, address, copyId, clickhouse: copy?.to.clickhouse ?? null };
    },

    /** The copy that brought the device sets to their place. Null: they were never moved. */
    async currentCopy(): Promise<number | null> {
      const { rows } = await sql<{ copyId: number | null }>`
        select ${currentCopy} as "copyId"
      `.execute(db);
      return rows[0]!.copyId;
    },

    async latest(): Promise<WarehouseCopy | undefined> {
      const row = await db
        .selectFrom('warehouse_copy')
        .selectAll()
        .orderBy('copy_id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && toCopy(row);
    },

    /** Requests a copy, which a worker makes. Undefined if another copy is open, or its old place still exists. */
    async request(
      to: Pick<WarehousePlace, 'kind' | 'address' | 'clickhouse'>,
    ): Promise<WarehouseCopy | undefined> {
      try {
        const copyId = await atomically(db, async (tx) => {
          const { copy_id } = await tx
            .insertInto('warehouse_copy')
            .values({ to_kind: to.kind, to_address: to.address })
            .returning('copy_id')
            .executeTakeFirstOrThrow();
          const { clickhouse } = to;
          const sealed_to =
            clickhouse && sealing.seal(JSON.stringify(clickhouse), copyContext('to', copy_id));
          await tx
            .updateTable('warehouse_copy')
            .set({ sealed_to })
            .where('copy_id', '=', copy_id)
            .execute();
          return copy_id;
        });
        return await find(copyId);
      } catch (error) {
        if (violates(error, 'warehouse_copy_open')) return undefined;
        throw error;
      }
    },

    /** False if the copy is in another state. */
    async move(
      copyId: number,
      before: WarehouseCopyState,
      after: WarehouseCopyState,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('warehouse_copy')
        .set({
          state: after,
          problem: null,
          ended_at: sql`clock_timestamp()`,
          // The credentials of a deleted place.
          ...(after === 'aborted' && { sealed_to: null }),
          ...(after === 'forgotten' && { sealed_from: null }),
        })
        .where('copy_id', '=', copyId)
        .where('state', '=', before)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async noteProblem(copyId: number, problem: string | null): Promise<void> {
      await sql`
        update warehouse_copy set problem = ${problem}
        where copy_id = ${copyId} and problem is distinct from ${problem}
          and state in ('copying', 'aborting', 'forgetting')
      `.execute(db);
    },

    async noteComparison(copyId: number, { segments, devices }: Comparison): Promise<void> {
      await sql`
        update warehouse_copy set compared_segments = ${segments}, compared_devices = ${devices}
        where copy_id = ${copyId}
      `.execute(db);
    },

    /** Records the mark of the new place. Returns the recorded one, which may be an earlier one. */
    async claim(copyId: number, mark: string): Promise<string> {
      const { rows } = await sql<{ mark: string }>`
        update warehouse_copy set to_mark = coalesce(to_mark, ${mark}::uuid)
        where copy_id = ${copyId} returning to_mark as mark
      `.execute(db);
      return rows[0]!.mark;
    },

    /** Runs without a copy, at most that many. */
    missing: (limit: number) => missingRuns(db, limit),

    add: (copyId: number, runs: readonly CopiedRun[]) => addCopies(db, copyId, runs),

    async progress(): Promise<CopyProgress> {
      const { rows } = await sql<CopyProgress>`
        select count(*) as runs, count(copied_run.run_id) as "copiedRuns",
          coalesce(sum(needed.devices), 0)::bigint as devices,
          coalesce(sum(copied_run.devices), 0)::bigint as "copiedDevices"
        from ${neededRuns} as needed left join copied_run using (run_id)
      `.execute(db);
      return rows[0]!;
    },

    /** All copies of runs that exist. */
    copies: () => copiesOf(sql`true`),

    /** The runs of some segments that are all copied, in random order, with about that many devices. */
    async randomSegments(segments: number): Promise<CopiedRun[]> {
      return copiesOf(sql`needed.segment_id in (
        select segment_id from segment where exists (
          select from run where run.segment_id = segment.segment_id
        ) and kind <> 'profile'
        order by random() limit ${segments}
      )`);
    },

    /**
     * These copies are gone or damaged. All copies in their files are made again. Otherwise a file that is
     * still used for some runs would keep devices of the damaged ones.
     */
    async forget(runs: readonly CopiedRun[]): Promise<void> {
      await sql`
        delete from copied_run where file = any(${runs.map(({ copy }) => copy.file)}::text[])
      `.execute(db);
    },

    /** Deletes the records of all files in the new place. */
    async forgetFiles(copyId: number): Promise<void> {
      await sql`delete from run_file where copy_id = ${copyId}`.execute(db);
    },

    /**
     * Makes the new place the place of the device sets, in one transaction. All changes of the manifest
     * wait while `copyRest` copies the last runs. `from` is the old place.
     */
    async switchOver(
      copyId: number,
      from: WarehousePlace,
      copyRest: (runs: readonly Run[]) => Promise<CopiedRun[]>,
    ): Promise<SwitchOutcome> {
      const sealedFrom =
        from.clickhouse &&
        sealing.seal(JSON.stringify(from.clickhouse), copyContext('from', copyId));
      const begin = atomically(db, async (tx): Promise<SwitchOutcome> => {
        await refuseNewerSchema(tx);
        // The files of the last runs refer to this row meanwhile.
        const { rows } = await sql`
          select from warehouse_copy where copy_id = ${copyId} and state = 'copying' for no key update
        `.execute(tx);
        if (rows.length === 0) return 'stopped';
        await closeManifest(tx, gateTimeoutMs);
        const rest = await missingRuns(tx, mostLeft.runs + 1);
        const devices = rest.reduce((sum, run) => sum + run.devices, 0);
        if (rest.length > mostLeft.runs || devices > mostLeft.devices) return 'too much left';
        if (rest.length > 0) {
          await addCopies(tx, copyId, await whileAlive(tx, () => copyRest(rest)));
        }
        // A worker that was the first to start did not know the mark yet.
        const { rows: places } = await sql<{ mark: string | null }>`
          select mark from place where content = 'device sets'
        `.execute(tx);
        const mark = places[0]?.mark ?? from.mark;
        await switchPlace(tx, copyId, { ...from, mark, sealed: sealedFrom });
        return 'switched';
      });
      return await begin.catch((error): SwitchOutcome => {
        // A change took too long. The others need not wait for it.
        if (codeOf(error) === lockNotAvailable) return 'too much left';
        throw error;
      });
    },
  };

  async function copiesOf(condition: ReturnType<typeof sql>): Promise<CopiedRun[]> {
    const { rows } = await sql<RunRow & { copy: Omit<RunRow, 'run_id' | 'segment_id'> }>`
      select needed.*, to_jsonb(copied_run) as copy
      from ${neededRuns} as needed join copied_run using (run_id)
      where ${condition} order by copied_run.file, copied_run.first_row_group
    `.execute(db);
    return rows.map(({ copy, ...row }) => {
      const { runId: _, ...staged } = toRun({ ...row, ...copy });
      return { run: toRun(row), copy: staged };
    });
  }
}

/** What an address of a copy is bound to when it is encrypted. */
export function copyContext(which: 'from' | 'to', copyId: number): string {
  return `warehouse copy ${copyId} ${which}`;
}

async function missingRuns(db: Database, limit: number): Promise<Run[]> {
  const { rows } = await sql<RunRow>`
    select * from ${neededRuns} as needed
    where not exists (select from copied_run where copied_run.run_id = needed.run_id)
    order by file, first_row_group limit ${limit}
  `.execute(db);
  return rows.map(toRun);
}

/** Another process may have copied some of them already. */
async function addCopies(db: Database, copyId: number, runs: readonly CopiedRun[]): Promise<void> {
  const column = (of: (copy: StagedRun) => number) => runs.map(({ copy }) => of(copy));
  await sql`
    insert into copied_run (run_id, file, first_row_group, row_groups, devices, bytes)
    select copy.* from unnest(
      ${runs.map(({ run }) => run.runId)}::bigint[], ${runs.map(({ copy }) => copy.file)}::text[],
      ${column((copy) => copy.firstRowGroup)}::integer[],
      ${column((copy) => copy.rowGroups)}::integer[],
      ${column((copy) => copy.devices)}::bigint[], ${column((copy) => copy.bytes)}::bigint[]
    ) as copy
    where exists (
      select from warehouse_copy where copy_id = ${copyId} and state = 'copying'
    )
    on conflict do nothing
  `.execute(db);
}

/** Keeps the transaction from being idle. PostgreSQL still ends it if this process is frozen. */
async function whileAlive<T>(tx: Database, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    // If the session has ended, the next statement fails.
    sql`select 1`.execute(tx).catch(() => {});
  }, keepAliveMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

interface CopyRow {
  readonly copy_id: number;
  readonly state: WarehouseCopyState;
  readonly requested_at: Date;
  readonly ended_at: Date | null;
  readonly to_kind: PlaceKind;
  readonly to_address: string;
  readonly sealed_to: Buffer | null;
  readonly to_mark: string | null;
  readonly from_kind: PlaceKind | null;
  readonly from_address: string | null;
  readonly sealed_from: Buffer | null;
  readonly from_mark: string | null;
  readonly compared_segments: number | null;
  readonly compared_devices: number | null;
  readonly copied_devices: number | null;
  readonly problem: string | null;
}
