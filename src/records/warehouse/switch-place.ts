import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import type { PlaceKind } from '../database/schema.ts';

interface OldPlace {
  readonly kind: PlaceKind;
  readonly address: string;
  readonly mark: string | null;
  /** The encrypted address, if it is a ClickHouse database. */
  readonly sealed: Buffer | null;
}

/**
 * Points every run at its copy. The runs keep their ids, so everything that refers to them stays valid.
 * Call it in a transaction that closed the manifest, when every run has a copy.
 */
export async function switchPlace(tx: Database, copyId: number, from: OldPlace): Promise<void> {
  await checkCounts(tx);
  // Compaction writes profiles again: each engine allows a different number of runs in a profile.
  await sql`delete from run using profile where run.segment_id = profile.segment_id`.execute(tx);
  await sql`delete from segment where kind = 'profile'`.execute(tx);
  await takeBackDamaged(tx);
  for (const table of ['run', 'universe_change']) {
    await sql`
      update ${sql.table(table)} as moved
      set file = copied_run.file, first_row_group = copied_run.first_row_group,
        row_groups = copied_run.row_groups, bytes = copied_run.bytes
      from copied_run where moved.run_id = copied_run.run_id
    `.execute(tx);
  }
  // These files have devices of runs that were dropped after the copy began.
  await sql`
    update run_file
    set dropped_at = coalesce(dropped_at, requested_at), last_dropped_at = clock_timestamp()
    from warehouse_copy
    where warehouse_copy.copy_id = ${copyId} and file in (
      select file from copied_run
      where not exists (select from run where run.run_id = copied_run.run_id)
    )
  `.execute(tx);
  const { rows } = await sql<{ devices: number }>`
    select coalesce(sum(devices), 0)::bigint as devices from run
  `.execute(tx);
  await sql`delete from copied_run`.execute(tx);
  // A load that was staged in the old place can no longer commit.
  await sql`delete from run_file where copy_id is distinct from ${copyId}`.execute(tx);
  await sql`delete from removed_file where content = 'device sets'`.execute(tx);
  await sql`
    with counted as (insert into data_change default values)
    insert into place (content, kind, mark, address, copy_id)
    select 'device sets', to_kind, to_mark, to_address, copy_id
    from warehouse_copy where copy_id = ${copyId}
    on conflict (content) do update set kind = excluded.kind, mark = excluded.mark,
      address = excluded.address, copy_id = excluded.copy_id
  `.execute(tx);
  await sql`
    update warehouse_copy set state = 'done', ended_at = clock_timestamp(), problem = null,
      copied_devices = ${rows[0]!.devices}, from_kind = ${from.kind},
      from_address = ${from.address}, from_mark = ${from.mark}, sealed_from = ${from.sealed}
    where copy_id = ${copyId}
  `.execute(tx);
}

/** Compares the devices of each segment with those of its copies, which the new place has counted. */
async function checkCounts(tx: Database): Promise<void> {
  const { rows } = await sql<{ segmentId: number; devices: number; copied: number | null }>`
    select segment_id as "segmentId", sum(run.devices)::bigint as devices,
      sum(copied_run.devices)::bigint as copied
    from run left join copied_run using (run_id)
    where segment_id not in (select segment_id from profile)
    group by segment_id
    having sum(run.devices) is distinct from sum(copied_run.devices)
      or count(*) <> count(copied_run.run_id)
    limit 1
  `.execute(tx);
  const [wrong] = rows;
  if (!wrong) return;
  const { segmentId, devices, copied } = wrong;
  throw new Error(`segment ${segmentId} has ${devices} devices, but its copy has ${copied ?? 0}`);
}

/** Damaged runs that could be copied are readable again. The next fold adds their devices to the universe. */
async function takeBackDamaged(tx: Database): Promise<void> {
  await sql`
    insert into universe_change
    select run_id, false, segment_id, file, first_row_group, row_groups, devices, bytes
    from run join damaged_run using (run_id) join segment using (segment_id)
    where kind = 'attribute'
    on conflict do nothing
  `.execute(tx);
  // Reports that left the runs out are counted again.
  await sql`
    update segment set version = version + 1, lost_version = version + 1
    where segment_id in (select segment_id from run join damaged_run using (run_id))
  `.execute(tx);
  await sql`delete from damaged_run`.execute(tx);
}
