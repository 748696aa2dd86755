import type { Database } from './database.ts';

/** A run that is on disk but not yet in the manifest. */
export interface StagedRun {
  readonly segmentId: number;
  readonly file: string;
  readonly firstRowGroup: number;
  readonly rowGroups: number;
  readonly devices: number;
  /** How much of the file is this run's. */
  readonly bytes: number;
}

/** An immutable batch of devices of one segment. Runs of a segment are disjoint, so counts add up. */
export interface Run extends StagedRun {
  readonly runId: number;
}

/** Which runs exist: the only truth about what the warehouse holds. */
export interface Manifest {
  runsOf(segmentIds: readonly number[]): Promise<Run[]>;
  /** Makes runs visible; call it in the transaction that settles their job. */
  add(runs: readonly StagedRun[]): Promise<void>;
  totals(): Promise<{ runs: number; bytes: number }>;
}

// PostgreSQL takes at most 65,535 parameters in a statement; a run has six.
const runsPerInsert = 5_000;

export function createManifest(db: Database): Manifest {
  return {
    async runsOf(segmentIds) {
      if (segmentIds.length === 0) return [];
      const rows = await db
        .selectFrom('run')
        .selectAll()
        .where((eb) => eb('segment_id', '=', eb.fn.any(eb.val([...segmentIds]))))
        .orderBy('run_id')
        .execute();
      return rows.map((row) => ({
        runId: row.run_id,
        segmentId: row.segment_id,
        file: row.file,
        firstRowGroup: row.first_row_group,
        rowGroups: row.row_groups,
        devices: row.devices,
        bytes: row.bytes,
      }));
    },

    async add(runs) {
      for (let start = 0; start < runs.length; start += runsPerInsert) {
        const values = runs.slice(start, start + runsPerInsert).map((run) => ({
          segment_id: run.segmentId,
          file: run.file,
          first_row_group: run.firstRowGroup,
          row_groups: run.rowGroups,
          devices: run.devices,
          bytes: run.bytes,
        }));
        await db.insertInto('run').values(values).execute();
      }
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
  };
}
