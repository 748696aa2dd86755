import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import { allLists } from '../rows/row-block.ts';
import { numbered, runNumbered, within } from '../rows/sql.ts';
import { listOfEveryRow, type NumberedRun, type Staging } from './staging.ts';

/** Where new runs go, and which of the devices are looked at. */
interface Part {
  readonly batch: number;
  readonly pass: string;
}

/** Distinct devices that rows add to their lists, and that the runs of these do not hold yet. */
export function additionsFrom(staging: Staging, held: readonly NumberedRun[], part: Part): string {
  const { meaning } = staging;
  const adding = `${loaded(staging, part.pass)} and removes = 0`;
  const everyRow = listOfEveryRow(meaning);
  const named = `select list, device ${adding} and list < ${everyRow}`;
  const all = `select toUInt32(${everyRow}) as list, device ${adding}`;
  const rows = meaning.everyRow === null ? named : `${named} union all ${all}`;
  // Only those that rows bring are looked up, so that a small load costs what is new; and of those
  // only in the lists that rows name, for a device may be in very many.
  const known = `
    select list, device from (
      select ${listOf(held)} as list, device from run_device
      where ${within(runsOf(held))} and ${part.pass} and device in (select device ${adding})
    )
    where (list, device) in (${rows})`;
  return `
    insert into run_device (run_id, device)
    select ${runNumbered(part.batch, 'list')}, device from (${rows})
    ${held.length > 0 ? `where (list, device) not in (${known})` : ''}
    group by list, device`;
}

/** How many devices each run loses, of those that lose any. */
export function lossesFrom(staging: Staging, held: readonly NumberedRun[], pass: string): string {
  return `
    select run_id, count() from (
      select run_id, ${listOf(held)} as list, device from run_device
      where ${within(runsOf(held))} and ${pass}
        and device in (select device ${loaded(staging, pass)} and removes = 1)
    )
    where ${isLost(staging, pass)}
    group by run_id`;
}

/** What is left of runs that lose devices, as runs that follow those of the lists. */
export function remaindersFrom(staging: Staging, held: readonly NumberedRun[], part: Part): string {
  const first = listOfEveryRow(staging.meaning) + 1;
  const numbers = numbered(
    runsOf(held),
    held.map((_, i) => first + i),
  );
  return `
    insert into run_device (run_id, device)
    select ${runNumbered(part.batch, numbers)}, device from (
      select run_id, ${listOf(held)} as list, device from run_device
      where ${within(runsOf(held))} and ${part.pass}
    )
    where not (${isLost(staging, part.pass)})`;
}

/** A row removes the device, and none adds it: all removals of a load come before its additions. */
function isLost(staging: Staging, pass: string): string {
  const rows = loaded(staging, pass);
  return `(
      (list, device) in (select list, device ${rows} and removes = 1)
      or device in (select device ${rows} and removes = 1 and list = ${allLists})
    )
    and (list, device) not in (select list, device ${rows} and removes = 0)`;
}

function loaded({ batch }: Staging, pass: string): string {
  return `from loaded_row where batch = ${batch} and ${pass}`;
}

function listOf(held: readonly NumberedRun[]): string {
  return numbered(
    runsOf(held),
    held.map(({ list }) => list),
  );
}

function runsOf(held: readonly NumberedRun[]): StagedRun[] {
  return held.map(({ run }) => run);
}
