import type { Records } from '../../records/records.ts';
import type { Warehouse } from '../../warehouse/port.ts';
import {
  namesSuppressed,
  quotedText,
  readSuppression,
  withoutQuotes,
} from '../worker/suppression.ts';

interface EraseDependencies {
  readonly records: Records;
  readonly warehouse: Pick<Warehouse, 'findSuppressed'>;
}

/**
 * Deletes rejected rows, and removes quoted values, that name a suppressed device. Those that jobs write
 * from now on are checked when they are written.
 */
export async function eraseReports(deps: EraseDependencies, signal: AbortSignal): Promise<number> {
  const { records } = deps;
  const view = await readSuppression(records);
  if (!view.suppressed) return 0;
  const check = (texts: readonly string[]) => namesSuppressed(deps, texts, view, signal);
  let erased = 0;
  for await (const page of records.rejects.all()) {
    signal.throwIfAborted();
    const names = await check(page.map(({ original }) => original.toString('latin1')));
    const named = page.filter((_, i) => names[i]);
    if (named.length > 0) erased += await records.rejects.remove(named);
  }
  for await (const page of records.reportedValues.withIdentifiers()) {
    signal.throwIfAborted();
    const names = await check(page.flatMap(({ problems }) => problems.map(quotedText)));
    let at = 0;
    for (const stored of page) {
      const masked = stored.problems.map((problem) =>
        names[at++] ? withoutQuotes(problem) : problem,
      );
      if (masked.every((problem, i) => problem === stored.problems[i])) continue;
      await records.reportedValues.replace(stored, masked);
      erased++;
    }
  }
  return erased;
}
