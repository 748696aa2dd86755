import type { Run, StagedRun } from '../../../records/warehouse/manifest.ts';
import { allLists, runIdExpression, runNumberExpression, within } from '../rows/sql.ts';

/** A run of the manifest, and the number that loaded rows use for its segment. */
export interface NumberedRun {
  readonly run: Run;
  readonly list: number;
}

/** The batch of the loaded rows and of the new runs, and the pass that selects devices. */
interface Selected {
  readonly batch: number;
  readonly pass: string;
}

/** Counts the devices that each run loses; runs that lose none are left out. */
export function lossesFrom(held: readonly NumberedRun[], selected: Selected): string {
  return `
    select run_id, count() from (
      select run_id, ${listOf(held)} as list, device from run_device
      where ${within(runsOf(held))} and ${selected.pass}
        and device in (select device ${loaded(selected)} and removes = 1)
    )
    where ${isRemoved(selected)}
    group by run_id`;
}

/** Inserts the remainders of runs that lose devices, numbered from `first` on. */
export function remaindersFrom(
  held: readonly NumberedRun[],
  first: number,
  selected: Selected,
): string {
  const numbers = runNumberExpression(
    runsOf(held),
    held.map((_, i) => first + i),
  );
  return `
    insert into run_device (run_id, device)
    select ${runIdExpression(selected.batch, numbers)}, device from (
      select run_id, ${listOf(held)} as list, device from run_device
      where ${within(runsOf(held))} and ${selected.pass}
    )
    where not (${isRemoved(selected)})`;
}

/** A row removes the device and none adds it: a load applies its removals before its additions. */
function isRemoved(selected: Selected): string {
  const rows = loaded(selected);
  return `(
      (list, device) in (select list, device ${rows} and removes = 1)
      or device in (select device ${rows} and removes = 1 and list = ${allLists})
    )
    and (list, device) not in (select list, device ${rows} and removes = 0)`;
}

function loaded({ batch, pass }: Selected): string {
  return `from loaded_row where batch = ${batch} and ${pass}`;
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
