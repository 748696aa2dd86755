import { type ExpressionBuilder, sql } from 'kysely';
import { ManifestConflict } from '../../domain/errors.ts';
import {
  type AttributeCause,
  attributeCauses,
  type ChangeCause,
} from '../../domain/history/reasons.ts';
import type { Database } from '../database/connection.ts';
import type { Schema, SegmentKind } from '../database/schema.ts';
import { refuseNewerSchema } from '../database/schema-version.ts';
import { addAttributeHistory } from './attribute-history.ts';
import { currentCopy, enterManifest } from './manifest-gate.ts';

/** A run that is written but not yet in the manifest. */
export interface StagedRun {
  readonly segmentId: number;
  readonly file: string;
  readonly firstRowGroup: number;
  readonly rowGroups: number;
  readonly devices: number;
  /** This run's share of the file. */
  readonly bytes: number;
}

/** An immutable set of devices of one segment. Runs of a segment are disjoint, so counts add up. */
export interface Run extends StagedRun {
  readonly runId: number;
}

/** The versions of its segment with which a run's devices came. A merged run has several. */
export interface VersionSpan {
  readonly firstVersion: number;
  readonly lastVersion: number;
}

export interface ManifestChange {
  readonly add: readonly StagedRun[];
  readonly drop: readonly Run[];
}

/** Which runs exist: the single source of truth about the contents of the warehouse. */
export interface Manifest {
  runsOf(segmentIds: readonly number[]): Promise<Run[]>;
  /** The same, without runs that were found damaged. */
  readableRunsOf(segmentIds: readonly number[]): Promise<Run[]>;
  /**
   * Makes a change visible; call it in the transaction that commits its cause. Histories name the cause.
   * Segments without a history need none.
   */
  apply(change: ManifestChange, cause?: ChangeCause): Promise<void>;
  /**
   * Replaces runs by others that together hold exactly the same devices. A run that alone replaces all
   * dropped runs of its segment takes over their numbers in profiles.
   */
  rewrite(change: ManifestChange): Promise<void>;
  /**
   * Replaces runs by others that lack some devices. The caller takes these devices out of the universe
   * itself. Only runs that are not folded in yet are logged for the next fold.
   */
  shorten(change: ManifestChange): Promise<void>;
  /** Drops all runs of the segments, even if they are being rewritten. */
  empty(segmentIds: readonly number[], cause?: ChangeCause): Promise<void>;
  /** The runs of each segment with more than `limit`, the segment with the most runs first. */
  crowded(limit: number): Promise<Run[][]>;
  /** How many runs segments have beyond `limit`, in all. */
  crowdedBy(limit: number): Promise<number>;
  totals(): Promise<{ runs: number; bytes: number }>;
  /** All files that runs are in, with their runs. */
  files(): Promise<ListedFile[]>;
}

/** A file of the manifest. */
interface ListedFile {
  readonly file: string;
  /** The bytes of its runs. */
  readonly bytes: number;
  readonly runs: readonly (Run & { readonly isProfile: boolean })[];
}

// A PostgreSQL statement has at most 65,535 parameters; a run needs eight.
const runsPerInsert = 5_000;

export function createManifest(db: Database): Manifest {
  async function runsOf(segmentIds: readonly number[]): Promise<Run[]> {
    if (segmentIds.length === 0) return [];
    const rows = await db
      .selectFrom('run')
      .selectAll()
      .where((eb) => isOneOf(eb, segmentIds))
      .orderBy('run_id')
      .execute();
    return rows.map(toRun);
  }

  /**
   * Locks runs that are to be dropped, in one order, so that two drops cannot deadlock. Returns them as
   * they are now: in another file if the device sets were moved since.
   */
  async function lock(runs: readonly Run[]): Promise<Run[]> {
    const { rows } = await sql<RunColumns & { run_id: number }>`
      select * from run where run_id = any(${idsOf(runs)}::bigint[]) order by run_id for update
    `.execute(db);
    if (rows.length !== runs.length)
      throw new ManifestConflict('a run to be replaced no longer exists');
    return rows.map(toRun);
  }

  /** Returns the runs as they were. */
  async function drop(given: readonly Run[]): Promise<Run[]> {
    if (given.length === 0) return [];
    const runs = await lock(given);
    // Their devices are in these files, too.
    const { rows: profiles } = await sql<{ file: string }>`
      select distinct file from run join profile_source using (segment_id)
      where profile_source.run_id = any(${idsOf(runs)}::bigint[])
    `.execute(db);
    await sql`delete from run where run_id = any(${idsOf(runs)}::bigint[])`.execute(db);
    await markDropped(db, [...filesOf(runs), ...profiles.map(({ file }) => file)]);
    return runs;
  }

  async function add(
    runs: readonly StagedRun[],
    spanOf: (run: StagedRun) => VersionSpan,
  ): Promise<Run[]> {
    if (runs.length === 0) return [];
    const files = filesOf(runs);
    // The lock blocks the sweep, which deletes the row before it removes the file.
    const { rows } = await sql`
      with counted as (insert into data_change default values)
      select from run_file
      where file = any(${files}) and copy_id is not distinct from ${currentCopy}
      for key share
    `.execute(db);
    if (rows.length !== files.length)
      throw new ManifestConflict('a run file was swept before its commit, or is in an old place');
    const added: Run[] = [];
    for (let start = 0; start < runs.length; start += runsPerInsert) {
      const batch = runs.slice(start, start + runsPerInsert);
      const inserted = await db
        .insertInto('run')
        .values(batch.map((run) => toRow(run, spanOf(run))))
        .returningAll()
        .execute();
      added.push(...inserted.map(toRun));
    }
    return added;
  }

  /** The runs that are not folded in yet. The lock blocks the fold, whose commit deletes such rows. */
  async function lockUnfolded(runs: readonly Run[]): Promise<number[]> {
    const { rows } = await sql<{ runId: number }>`
      select run_id as "runId" from universe_change
      where run_id = any(${idsOf(runs)}::bigint[]) and not is_drop
      for update
    `.execute(db);
    return rows.map(({ runId }) => runId);
  }

  /** The spans of all runs of each segment that are about to be replaced. */
  async function spansOf(runs: readonly Run[]): Promise<Map<number, VersionSpan>> {
    const { rows } = await sql<VersionSpan & { segmentId: number }>`
      select segment_id as "segmentId", min(first_version) as "firstVersion",
        max(last_version) as "lastVersion"
      from run where run_id = any(${idsOf(runs)}::bigint[])
      group by segment_id
    `.execute(db);
    return new Map(rows.map(({ segmentId, ...span }) => [segmentId, span]));
  }

  return {
    runsOf,

    async readableRunsOf(segmentIds) {
      const runs = await runsOf(segmentIds);
      const rows = await db.selectFrom('damaged_run').select('run_id').execute();
      const damaged = new Set(rows.map(({ run_id }) => run_id));
      return runs.filter(({ runId }) => !damaged.has(runId));
    },

    async apply(change, cause) {
      await enterManifest(db);
      const dropped = await drop(change.drop);
      const bumped = await bumpVersions(db, change, cause);
      const added = await add(change.add, ({ segmentId }) => {
        const { version } = bumped.get(segmentId)!;
        return { firstVersion: version, lastVersion: version };
      });
      await addHistory(db, bumped, change, cause);
      await logUniverseChanges(db, dropped, true);
      await logUniverseChanges(db, added, false);
    },

    async shorten(change) {
      await enterManifest(db);
      const unfolded = new Set(await lockUnfolded(change.drop));
      const shortened = await drop(change.drop);
      const bumped = await bumpVersions(db, change, 'privacy');
      const added = await add(change.add, ({ segmentId }) => {
        const { version } = bumped.get(segmentId)!;
        return { firstVersion: version, lastVersion: version };
      });
      await addHistory(db, bumped, change, 'privacy');
      const dropped = shortened.filter(({ runId }) => unfolded.has(runId));
      const segments = new Set(dropped.map(({ segmentId }) => segmentId));
      await logUniverseChanges(db, dropped, true);
      await logUniverseChanges(
        db,
        added.filter(({ segmentId }) => segments.has(segmentId)),
        false,
      );
    },

    async rewrite(change) {
      await refuseNewerSchema(db);
      await enterManifest(db);
      // The universe would miss a run replaced before it was folded.
      if ((await lockUnfolded(change.drop)).length > 0)
        throw new ManifestConflict('a run to be replaced is not folded into the universe yet');
      await lock(change.drop);
      const spans = await spansOf(change.drop);
      const unknown = { firstVersion: 0, lastVersion: Number.MAX_SAFE_INTEGER };
      const added = await add(change.add, ({ segmentId }) => spans.get(segmentId) ?? unknown);
      await passOnNumbers(db, change.drop, added);
      await drop(change.drop);
    },

    async empty(segmentIds, cause) {
      await enterManifest(db);
      // A rewrite holds its runs' rows until its new runs are committed. The next pass sees those.
      for (;;) {
        const { rows } = await sql`
          select from run where segment_id = any(${segmentIds}::bigint[]) order by run_id for update
        `.execute(db);
        const runs = await runsOf(segmentIds);
        if (runs.length === 0) return;
        if (rows.length !== runs.length) continue;
        await drop(runs);
        const change = { add: [], drop: runs };
        const bumped = await bumpVersions(db, change, cause);
        await addHistory(db, bumped, change, cause);
        await logUniverseChanges(db, runs, true);
        return;
      }
    },

    async crowded(limit) {
      const rows = await db
        .selectFrom('run')
        .selectAll()
        .where('segment_id', 'in', (eb) =>
          eb
            .selectFrom('run')
            .select('segment_id')
            .groupBy('segment_id')
            .having((group) => group.fn.countAll(), '>', limit),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('universe_change')
                .select('run_id')
                .whereRef('universe_change.run_id', '=', 'run.run_id'),
            ),
          ),
        )
        .orderBy('run_id')
        .execute();
      const bySegment = Map.groupBy(rows.map(toRun), ({ segmentId }) => segmentId);
      return [...bySegment.values()].sort((a, b) => b.length - a.length);
    },

    async crowdedBy(limit) {
      const { rows } = await sql<{ runs: number }>`
        select coalesce(sum(runs - ${limit}), 0)::bigint as runs from (
          select count(*) as runs from run group by segment_id having count(*) > ${limit}
        ) as crowded
      `.execute(db);
      return rows[0]!.runs;
    },

    async totals() {
      const row = await db
        .selectFrom('run')
        .select((eb) => [
          eb.fn.countAll<number>().as('runs'),
          eb.fn.coalesce(eb.fn.sum<number>('bytes'), eb.lit(0)).as('bytes'),
        ])
        .executeTakeFirstOrThrow();
      return { runs: row.runs, bytes: Number(row.bytes) };
    },

    async files() {
      const { rows } = await sql<RunColumns & { run_id: number; kind: SegmentKind }>`
        select run.*, kind from run join segment using (segment_id) order by file, first_row_group
      `.execute(db);
      const byFile = Map.groupBy(rows, ({ file }) => file);
      return [...byFile].map(([file, ofFile]) => ({
        file,
        bytes: ofFile.reduce((sum, { bytes }) => sum + bytes, 0),
        runs: ofFile.map((row) => ({ ...toRun(row), isProfile: row.kind === 'profile' })),
      }));
    },
  };
}

interface BumpedSegment {
  readonly version: number;
  readonly kind: SegmentKind;
}

/** Raises the version of each segment that gains or lost a run, locking in one order. */
async function bumpVersions(
  db: Database,
  change: ManifestChange,
  cause?: ChangeCause,
): Promise<Map<number, BumpedSegment>> {
  const segmentsOf = (runs: readonly StagedRun[]) => [
    ...new Set(runs.map(({ segmentId }) => segmentId)),
  ];
  const { rows } = await sql<BumpedSegment & { segmentId: number }>`
    with changed as (
      select segment_id from segment
      where segment_id = any(${segmentsOf([...change.drop, ...change.add])}::bigint[])
      order by segment_id for no key update
    )
    update segment set version = version + 1, lost_version = case
      when segment.segment_id = any(${segmentsOf(change.drop)}::bigint[]) then version + 1
      else lost_version
    end${cause ? sql`, changed_by = changed_by || jsonb_build_object(${cause}::text, version + 1)` : sql``}
    from changed where segment.segment_id = changed.segment_id
    returning segment.segment_id as "segmentId", version, kind
  `.execute(db);
  return new Map(rows.map(({ segmentId, ...bumped }) => [segmentId, bumped]));
}

/** Adds to the histories of the segments that are attributes. */
async function addHistory(
  db: Database,
  bumped: ReadonlyMap<number, BumpedSegment>,
  { add, drop }: ManifestChange,
  cause?: ChangeCause,
): Promise<void> {
  if (!cause || !isAttributeCause(cause)) return;
  const gained = new Map<number, number>();
  const count = ({ segmentId, devices }: StagedRun, sign: 1 | -1) =>
    gained.set(segmentId, (gained.get(segmentId) ?? 0) + sign * devices);
  for (const run of add) count(run, 1);
  for (const run of drop) count(run, -1);
  const changes = [...bumped]
    .filter(([, { kind }]) => kind === 'attribute')
    .map(([segmentId, { version }]) => ({
      segmentId,
      version,
      gained: gained.get(segmentId) ?? 0,
    }));
  await addAttributeHistory(db, changes, cause);
}

function isAttributeCause(cause: ChangeCause): cause is AttributeCause {
  return (attributeCauses as readonly ChangeCause[]).includes(cause);
}

/**
 * Gives the numbers that runs have in profiles to the run that alone replaces them, unless one of them
 * has none: all devices of a run are in profiles, or none are.
 */
async function passOnNumbers(
  db: Database,
  dropped: readonly Run[],
  added: readonly Run[],
): Promise<void> {
  const { rows } = await sql<{ runId: number }>`
    select distinct run_id as "runId" from profile_source
    where run_id = any(${idsOf(dropped)}::bigint[])
  `.execute(db);
  const numbered = new Set(rows.map(({ runId }) => runId));
  const bySegment = Map.groupBy(added, ({ segmentId }) => segmentId);
  const from: number[] = [];
  const to: number[] = [];
  for (const [segmentId, runs] of Map.groupBy(dropped, (run) => run.segmentId)) {
    const [heir, ...others] = bySegment.get(segmentId) ?? [];
    if (!heir || others.length > 0 || !runs.every(({ runId }) => numbered.has(runId))) continue;
    from.push(...idsOf(runs));
    to.push(...runs.map(() => heir.runId));
  }
  if (from.length === 0) return;
  await sql`
    update profile_source set run_id = heir.to_id
    from unnest(${from}::bigint[], ${to}::bigint[]) as heir (from_id, to_id)
    where run_id = heir.from_id
  `.execute(db);
}

/** Logs the changes for the next fold. Only runs of attributes count for the universe. */
async function logUniverseChanges(
  db: Database,
  runs: readonly Run[],
  isDrop: boolean,
): Promise<void> {
  if (runs.length === 0) return;
  const column = (of: (run: Run) => number) => runs.map(of);
  await sql`
    insert into universe_change
    select run_id, ${isDrop}, segment_id, file, first_row_group, row_groups, devices, bytes
    from unnest(
      ${column((run) => run.runId)}::bigint[], ${column((run) => run.segmentId)}::bigint[],
      ${runs.map(({ file }) => file)}::text[], ${column((run) => run.firstRowGroup)}::integer[],
      ${column((run) => run.rowGroups)}::integer[], ${column((run) => run.devices)}::bigint[],
      ${column((run) => run.bytes)}::bigint[]
    ) as changed (run_id, segment_id, file, first_row_group, row_groups, devices, bytes)
    join segment using (segment_id)
    where kind = 'attribute'
  `.execute(db);
}

function isOneOf(eb: ExpressionBuilder<Schema, 'run'>, segmentIds: readonly number[]) {
  return eb('segment_id', '=', eb.fn.any(eb.val([...segmentIds])));
}

/** Notes that files have devices of dropped runs, from now on or already `since` then. Locks them in one order. */
export async function markDropped(
  db: Database,
  files: readonly string[],
  since: Date | null = null,
): Promise<void> {
  await sql`
    with losing as (
      select file from run_file where file = any(${[...files]}) order by file for no key update
    ),
    counted as (insert into data_change default values)
    update run_file
    set dropped_at = coalesce(dropped_at, ${since}::timestamptz, clock_timestamp()),
      last_dropped_at = clock_timestamp()
    from losing where run_file.file = losing.file
  `.execute(db);
}

export function idsOf(runs: readonly Run[]): number[] {
  return runs.map(({ runId }) => runId);
}

function filesOf(runs: readonly StagedRun[]): string[] {
  return [...new Set(runs.map(({ file }) => file))];
}

interface RunColumns {
  readonly segment_id: number;
  readonly file: string;
  readonly first_row_group: number;
  readonly row_groups: number;
  readonly devices: number;
  readonly bytes: number;
}

function toRow(run: StagedRun, { firstVersion, lastVersion }: VersionSpan) {
  return {
    first_version: firstVersion,
    last_version: lastVersion,
    segment_id: run.segmentId,
    file: run.file,
    first_row_group: run.firstRowGroup,
    row_groups: run.rowGroups,
    devices: run.devices,
    bytes: run.bytes,
  };
}

export function toRun(row: RunColumns & { readonly run_id: number }): Run {
  return {
    runId: row.run_id,
    segmentId: row.segment_id,
    file: row.file,
    firstRowGroup: row.first_row_group,
    rowGroups: row.row_groups,
    devices: row.devices,
    bytes: row.bytes,
  };
}
