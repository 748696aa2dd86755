import { sql } from 'kysely';
import { atomically, type Database } from '../database/connection.ts';
import { createManifest, type Run, toRun } from './manifest.ts';
import { enterManifest } from './manifest-gate.ts';
import { createProfiles } from './profiles.ts';

/** Where a file cannot be read: one run of it, or the whole file. */
export interface DamagedPlace {
  readonly file: string;
  readonly firstRowGroup: number | null;
}

export interface DamagedRun {
  readonly run: Run;
  /** Whose run it is, for operators. */
  readonly owner: string;
}

type RunRow = Parameters<typeof toRun>[0];

export type DamagedRuns = ReturnType<typeof createDamagedRuns>;

/** Runs that cannot be read and that the universe and all reports leave out meanwhile. */
export function createDamagedRuns(db: Database) {
  return {
    /**
     * Sets the damaged runs of attributes and of the universe aside. A run of the universe is dropped,
     * and the next fold writes its devices again from the attributes. A profile is dropped, because
     * its runs can be counted without it. False if nothing was set aside.
     */
    async setAside({ file, firstRowGroup }: DamagedPlace, reason: string): Promise<boolean> {
      return atomically(db, async (tx) => {
        await enterManifest(tx);
        // Locked in the order of a fold's commit.
        await sql`select from universe for update`.execute(tx);
        // A profile has a file of its own.
        const { rows: profiles } = await sql<RunRow>`
          select run.* from run join profile using (segment_id) where file = ${file}
        `.execute(tx);
        await createProfiles(tx).replace(profiles.map(toRun), []);
        const { rows } = await sql<RunRow & { kind: string }>`
          select run.*, kind from run join segment using (segment_id)
          where file = ${file} and kind in ('attribute', 'universe')
            and first_row_group = coalesce(${firstRowGroup}, first_row_group)
          order by run_id
          for update of run
        `.execute(tx);
        const { attribute = [], universe = [] } = Object.groupBy(rows, ({ kind }) => kind);
        if (universe.length > 0) {
          // The new version makes the commit of a fold that has begun fail.
          await sql`update universe set version = version + 1`.execute(tx);
          await createManifest(tx).apply({ add: [], drop: universe.map(toRun) });
          await sql`
            insert into universe_change
            select run_id, false, segment_id, file, first_row_group, row_groups, devices, bytes
            from run join segment using (segment_id) where kind = 'attribute'
            on conflict do nothing
          `.execute(tx);
        }
        await sql`
          insert into damaged_run (run_id, reason)
          select run_id, ${reason} from unnest(${attribute.map((row) => row.run_id)}::bigint[])
            as damaged (run_id)
          on conflict (run_id) do update set reason = excluded.reason
        `.execute(tx);
        return profiles.length + rows.length > 0;
      });
    },

    async list(): Promise<DamagedRun[]> {
      await sql`
        delete from damaged_run
        where not exists (select from run where run.run_id = damaged_run.run_id)
      `.execute(db);
      const { rows } = await sql<RunRow & { attribute: number | null; partner: number | null }>`
        select run.*, attribute_id as attribute, partner_id as partner
        from damaged_run join run using (run_id) left join attribute using (segment_id)
        order by run_id
      `.execute(db);
      return rows.map((row) => ({
        run: toRun(row),
        owner:
          row.attribute === null
            ? `segment ${row.segment_id}`
            : `attribute ${row.attribute} of partner ${row.partner}`,
      }));
    },

    async count(): Promise<number> {
      const { rows } = await sql<{ runs: number }>`
        select count(*) as runs from damaged_run join run using (run_id)
      `.execute(db);
      return rows[0]!.runs;
    },

    /** Takes back a run that is readable again. The next fold adds its devices to the universe. */
    async restore({ runId }: Run): Promise<void> {
      await atomically(db, async (tx) => {
        await enterManifest(tx);
        const { numAffectedRows } = await sql`
          delete from damaged_run where run_id = ${runId}
        `.execute(tx);
        if (numAffectedRows === 0n) return;
        await sql`
          insert into universe_change
          select run_id, false, segment_id, file, first_row_group, row_groups, devices, bytes
          from run where run_id = ${runId}
          on conflict do nothing
        `.execute(tx);
        // Reports that left the run out are counted again.
        await sql`
          update segment set version = version + 1, lost_version = version + 1
          where segment_id = (select segment_id from run where run_id = ${runId})
        `.execute(tx);
      });
    },
  };
}
