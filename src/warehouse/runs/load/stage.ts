import type { ManifestChange, Run } from '../../../records/warehouse/manifest.ts';
import type { StagedLoad } from '../../port.ts';
import type { DigestTables } from '../digests/digest-tables.ts';
import type { OpenedRun, RunOpener } from '../file/run-opener.ts';
import { changedSegments } from './list-store.ts';
import { openSuppression } from './open-suppression.ts';
import { checkNumbers, type LoadThreads, type RowParts } from './parallel-scatter.ts';
import { rewriteRuns } from './rewrite-runs.ts';
import { sortParts } from './sort-parts.ts';
import { splitLargeParts } from './split-large-parts.ts';
import type { StageContext } from './stage-context.ts';
import { writeSegments } from './write-segments.ts';

export interface StageOptions extends StageContext {
  /** `threads` may be those of small loads. A rewrite of runs can be large even then. */
  readonly allThreads: LoadThreads;
  readonly opener: RunOpener;
  readonly digestTables: DigestTables;
  runsOf(segmentIds: readonly number[]): Promise<readonly Run[]>;
  /** Larger parts are split before they are sorted. */
  readonly maxPartWords: number;
}

/** Turns the rows in parts into a file of runs and a change of the manifest. */
export async function stageRows(options: StageOptions, rows: RowParts): Promise<StagedLoad> {
  const { threads, file, meaning } = options;
  const { segmentIds, everyRow, mode } = meaning;
  checkNumbers(rows, meaning);
  await using held = new AsyncDisposableStack();
  const suppression = meaning.suppressed
    ? await openSuppression(options, meaning.suppressed, held)
    : null;
  const lists = { segments: segmentIds.length, removals: rows.removals };
  const ofEveryRow = everyRow === null ? [] : await openRuns([everyRow]);
  const sorted = await sortParts(
    options,
    { parts: splitLargeParts(options, rows), areShort: rows.areShort },
    lists,
    everyRow === null ? null : { segmentId: everyRow, held: runsToSubtract(ofEveryRow) },
    suppression,
  );

  // A replaced segment loses its devices even if all its new ones were left out.
  const replaced = mode === 'replace' ? sorted.suppressed.lists : [];
  const named = [...new Set([...changedSegments(sorted.lists), ...replaced])];
  const ofNamed = await openRuns(named.map((number) => segmentIds[number]!));
  const bySegment = Map.groupBy(ofNamed, ({ run }) => run.segmentId);
  await writeSegments(options, sorted.lists, (number) =>
    runsToSubtract(bySegment.get(segmentIds[number]!) ?? []),
  );
  const drop =
    mode === 'replace'
      ? [...(rows.parts.length > 0 ? ofEveryRow : []), ...ofNamed].map(({ run }) => run)
      : await rewriteRuns({ ...options, threads: options.allThreads }, sorted.lists, bySegment);
  const add = await file.finish((end) => threads.pool.run('writeFooter', end));
  const change: ManifestChange = { add, drop };
  return { uniqueDevices: sorted.devices, suppressedDevices: sorted.suppressed.devices, change };

  function runsToSubtract(runs: readonly OpenedRun[]) {
    return mode === 'replace' ? [] : runs.map(({ open }) => open);
  }

  async function openRuns(segments: readonly number[]): Promise<readonly OpenedRun[]> {
    return options.opener.open(() => options.runsOf(segments), held);
  }
}
