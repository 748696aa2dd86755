import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import { allLists } from '../rows/row-block.ts';
import { runIdExpression, runNumberExpression, within } from '../rows/sql.ts';
import { isNotLeftOut } from './leave-out.ts';
import { listOfEveryRow, type NumberedRun, type StagingInput } from './staging-input.ts';

/** The batch that receives new runs, and the pass that selects devices. */
interface InsertTarget {
  readonly batch: number;
  readonly pass: string;
}

/** Inserts the distinct devices that rows add to their lists and that no run of the list contains. */
export function additionsFrom(
  staging: StagingInput,
  held: readonly NumberedRun[],
  part: InsertTarget,
): string {
  const { meaning } = staging;
  const adding = `${loaded(staging, part.pass)} and removes = 0`;
  const everyRow = listOfEveryRow(meaning);
  const named = `select list, device ${adding} and list < ${everyRow}`;
  const all = `select toUInt32(${everyRow}) as list, device ${adding}`;
  const rows = meaning.everyRow === null ? named : `${named} union all ${all}`;
  // Looks up only the loaded devices, so a small load stays cheap, and only in the lists that rows
  // name, because a device may be in very many.
  const known = `
    select list, device from (
      select ${listOf(held)} as list, device from run_device
      where ${within(runsOf(held))} and ${part.pass} and device in (select device ${adding})
    )
    where (list, device) in (${rows})`;
  return `
    insert into run_device (run_id, device)
    select ${runIdExpression(part.batch, 'list')}, device from (${rows})
    ${held.length > 0 ? `where (list, device) not in (${known})` : ''}
    group by list, device`;
}

/** Counts the devices that each run loses; runs that lose none are left out. */
export function lossesFrom(
  staging: StagingInput,
  held: readonly NumberedRun[],
  pass: string,
): string {
  return `
    select run_id, count() from (
      select run_id, ${listOf(held)} as list, device from run_device
      where ${within(runsOf(held))} and ${pass}
        and device in (select device ${loaded(staging, pass)} and removes = 1)
    )
    where ${isRemoved(staging, pass)}
    group by run_id`;
}

/** Inserts the remainders of runs that lose devices, numbered after the runs of the lists. */
export function remaindersFrom(
  staging: StagingInput,
  held: readonly NumberedRun[],
  part: InsertTarget,
): string {
  const first = listOfEveryRow(staging.meaning) + 1;
  const numbers = runNumberExpression(
    runsOf(held),
    held.map((_, i) => first + i),
  );
  return `
    insert into run_device (run_id, device)
    select ${runIdExpression(part.batch, numbers)}, device from (
      select run_id, ${listOf(held)} as list, device from run_device
      where ${within(runsOf(held))} and ${part.pass}
    )
    where not (${isRemoved(staging, part.pass)})`;
}

/** A row removes the device and none adds it: a load applies its removals before its additions. */
function isRemoved(staging: StagingInput, pass: string): string {
  const rows = loaded(staging, pass);
  return `(
      (list, device) in (select list, device ${rows} and removes = 1)
      or device in (select device ${rows} and removes = 1 and list = ${allLists})
    )
    and (list, device) not in (select list, device ${rows} and removes = 0)`;
}

function loaded({ batch, leftOut }: StagingInput, pass: string): string {
  const isLoaded = `from loaded_row where batch = ${batch} and ${pass}`;
  return leftOut > 0 ? `${isLoaded} and ${isNotLeftOut(batch, pass)}` : isLoaded;
}

function listOf(held: readonly NumberedRun[]): string {
  return runNumberExpression(
    runsOf(held),
    held.map(({ list }) => list),
  );
}

function runsOf(held: readonly NumberedRun[]): StagedRun[] {
  return held.map(({ run }) => run);
}
