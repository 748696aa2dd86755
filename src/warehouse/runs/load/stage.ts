import type { ManifestChange, Run } from '../../../records/manifest.ts';
import type { LoadMeaning, StagedLoad } from '../../port.ts';
import type { HeldRun, RunOpener } from '../run-opener.ts';
import { divideParts } from './divide-parts.ts';
import type { LoadRoom } from './load-room.ts';
import { rewriteRuns } from './rewrite-runs.ts';
import type { LoadThreads, RowParts } from './row-scatter.ts';
import { sortParts } from './sort-parts.ts';
import type { StagedFile } from './staged-file.ts';
import { changedNumbers } from './stored-lists.ts';
import { writeSegments } from './write-segments.ts';

/** All that one stage of a load works with. */
export interface Stage {
  readonly threads: LoadThreads;
  readonly room: LoadRoom;
  readonly file: StagedFile;
  readonly meaning: LoadMeaning;
  readonly signal: AbortSignal;
}

export interface StageOptions extends Stage {
  readonly opener: RunOpener;
  runsOf(segmentIds: readonly number[]): Promise<readonly Run[]>;
  /** Parts of more words than this are divided before they are sorted. */
  readonly maxPartWords: number;
}

/** From rows in parts to a file of runs, and what it changes in the manifest. */
export async function stageRows(options: StageOptions, rows: RowParts): Promise<StagedLoad> {
  const { threads, file, meaning } = options;
  const { segmentIds, everyRow, mode } = meaning;
  if (rows.numbers > segmentIds.length) {
    throw new RangeError(`rows name segment ${rows.numbers - 1} of ${segmentIds.length}`);
  }
  await using held = new AsyncDisposableStack();
  const lists = { segments: segmentIds.length, removals: rows.removals };
  const ofEveryRow = everyRow === null ? [] : await openRuns([everyRow]);
  const sorted = await sortParts(
    options,
    { parts: divideParts(options, rows), areShort: rows.areShort },
    lists,
    runsToSubtract(ofEveryRow),
  );

  const named = changedNumbers(sorted.lists);
  const ofNamed = await openRuns(named.map((number) => segmentIds[number]!));
  const bySegment = Map.groupBy(ofNamed, ({ run }) => run.segmentId);
  await writeSegments(options, sorted.lists, (number) =>
    runsToSubtract(bySegment.get(segmentIds[number]!) ?? []),
  );
  const drop =
    mode === 'replace'
      ? [...(rows.parts.length > 0 ? ofEveryRow : []), ...ofNamed].map(({ run }) => run)
      : await rewriteRuns(options, sorted.lists, bySegment);
  const add = await file.finish((end) => threads.pool.run('writeEnd', end));
  const change: ManifestChange = { add, drop };
  return { uniqueDevices: sorted.devices, change };

  function runsToSubtract(runs: readonly HeldRun[]) {
    return mode === 'replace' ? [] : runs.map(({ open }) => open);
  }

  async function openRuns(segments: readonly number[]): Promise<readonly HeldRun[]> {
    return options.opener.open(() => options.runsOf(segments), held);
  }
}
