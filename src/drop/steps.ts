import { messageOf } from '../domain/errors.ts';
import type { DropList } from '../records/database/schema.ts';
import type { DropCycle } from '../records/privacy/drop-cycles.ts';
import type { Records } from '../records/records.ts';
import { settledKey } from './amend.ts';
import { ArchiveFault } from './archive-fault.ts';
import { type ArchiveStore, archiveKey, newAttempt, ObjectLost } from './archive-store.ts';
import { bitmapOf } from './bitmap.ts';
import { ownList, removedList } from './file-names.ts';
import { liftRemoved } from './lift-removed.ts';
import { type DropArchive, openDropArchive, refuseUnreadableLists } from './lists.ts';
import { findMatchedRows } from './matched-rows.ts';
import type { Suppressions } from './suppressions.ts';
import { writeResponse } from './write-response.ts';

export interface StepDependencies {
  readonly records: Pick<Records, 'dropCycles' | 'dropFiles'>;
  readonly store: ArchiveStore;
  readonly suppressions: Suppressions;
  /** Size of a file for DROP. */
  readonly mostBytes: number;
  /** Receives problems that the operator must know, for the log. */
  onProblem(problem: string): void;
}

/**
 * Takes a cycle as far as it can go without DROP. A step does its work, then records the new state. A crash
 * in between repeats the step, with the same result. Returns the cycle as it is then.
 */
export async function advanceCycle(
  deps: StepDependencies,
  cycle: DropCycle,
  signal: AbortSignal,
): Promise<DropCycle> {
  const { dropCycles } = deps.records;
  let current = cycle;
  try {
    for (;;) {
      signal.throwIfAborted();
      const before = current.state;
      await takeStep(deps, current, signal);
      current = (await dropCycles.find(current.cycleId)) ?? current;
      if (current.state === before) return current;
    }
  } catch (error) {
    // An archive that was read as a whole can be read again, unless the storage fails.
    if (!(error instanceof ArchiveFault) || current.state !== 'downloaded') throw error;
    await dropCycles.recordStep(current.cycleId, current.state, 'refused', {
      problem: error.message,
    });
    return { ...current, state: 'refused', problem: error.message };
  }
}

async function takeStep(
  deps: StepDependencies,
  cycle: DropCycle,
  signal: AbortSignal,
): Promise<void> {
  const { suppressions } = deps;
  switch (cycle.state) {
    case 'downloading':
      return recordArchive(deps, cycle);
    case 'downloaded':
      return suppressList(deps, cycle, signal);
    case 'suppressed':
      return matchList(deps, cycle, signal);
    case 'matched':
      return recordIf(deps, cycle, 'removed', await suppressions.isRemoved(cycle.foundVersion!));
    case 'removed':
      return recordIf(deps, cycle, 'deleted', await suppressions.isGone(cycle.removedAt!));
    case 'deleted':
      return answerList(deps, cycle);
    case 'answered':
      return lift(deps, cycle, signal);
    case 'lifted':
      return acceptIfAnswered(deps, cycle);
  }
}

/** The process died after the archive was stored and before that was recorded. */
async function recordArchive(
  { records, store }: StepDependencies,
  { cycleId, folder }: DropCycle,
): Promise<void> {
  const stored = await store.measure(archiveKey(folder));
  if (stored) await records.dropCycles.recordDownload(cycleId, stored);
}

async function suppressList(
  { records, store, suppressions }: StepDependencies,
  { cycleId, folder }: DropCycle,
  signal: AbortSignal,
): Promise<void> {
  const archive = await openArchive(store, folder);
  const lists = await archive.describe();
  refuseUnreadableLists(lists);
  let itemRows = 0;
  async function* digests() {
    itemRows = 0;
    for await (const batch of archive.items()) {
      itemRows += batch.ids.length;
      yield batch.digests;
    }
  }
  const version = await suppressions.suppress(digests, signal);
  const sum = (list: string, count: (each: DropList) => number) =>
    lists.filter((each) => each.list === list).reduce((total, each) => total + count(each), 0);
  await records.dropCycles.recordStep(cycleId, 'downloaded', 'suppressed', {
    version,
    lists,
    itemRows,
    malformedRows: sum(ownList, (each) => each.malformedRows),
    removedRows: sum(removedList, (each) => each.rows),
  });
}

/** Keeps which rows matched. Devices that are found later are for an amendment. */
async function matchList(
  { records, store, suppressions }: StepDependencies,
  { cycleId, folder, itemRows, version }: DropCycle,
  signal: AbortSignal,
): Promise<void> {
  if (!(await suppressions.isMatched(version!))) return;
  const archive = await openArchive(store, folder);
  const matched = await findMatchedRows(archive, itemRows, suppressions.readMatches(signal));
  const matchesKey = `${newAttempt(folder, 'matches')}matched.bits`;
  await store.put(matchesKey, [matched.bytes]);
  // Read after the matches, so that it has the devices of all of them.
  const foundVersion = await suppressions.foundVersion();
  const outcome = { matchesKey, foundVersion };
  await records.dropCycles.recordStep(cycleId, 'suppressed', 'matched', outcome);
}

async function recordIf(
  { records }: StepDependencies,
  { cycleId, state }: DropCycle,
  next: 'removed' | 'deleted',
  isComplete: boolean,
): Promise<void> {
  if (isComplete) await records.dropCycles.recordStep(cycleId, state, next);
}

/** Everything that matched is deleted, so what is written now is true. */
async function answerList(
  { records, store, mostBytes }: StepDependencies,
  { cycleId, folder, itemRows, matchesKey }: DropCycle,
): Promise<void> {
  const archive = await openArchive(store, folder);
  const matched = bitmapOf(await store.read(matchesKey!));
  const attempt = newAttempt(folder, 'response');
  const options = { archive, itemRows, matched, store, folder: attempt, mostBytes };
  const { files, repeatedRows, settled } = await writeResponse(options);
  await store.put(settledKey(attempt), [settled.bytes]);
  await records.dropCycles.recordStep(cycleId, 'deleted', 'answered', { files, repeatedRows });
}

/** If an archive is lost, nothing is lifted, because it may ask for the same devices. The response goes out. */
async function lift(
  deps: StepDependencies,
  { cycleId, folder, removedRows }: DropCycle,
  signal: AbortSignal,
): Promise<void> {
  let liftedRows = 0;
  let problem: string | null = null;
  try {
    if (removedRows > 0) {
      liftedRows = await liftRemoved(deps, await openArchive(deps.store, folder), signal);
    }
  } catch (error) {
    if (!(error instanceof ObjectLost)) throw error;
    problem = `The suppressions that cycle ${cycleId} withdraws were not lifted. ${messageOf(error)}`;
    deps.onProblem(problem);
  }
  const outcome = { liftedRows, problem };
  await deps.records.dropCycles.recordStep(cycleId, 'answered', 'lifted', outcome);
}

/** An archive without rows of our list needs no answer. */
async function acceptIfAnswered(
  { records }: StepDependencies,
  { cycleId }: DropCycle,
): Promise<void> {
  const files = await records.dropFiles.ofCycle(cycleId);
  if (files.some(({ batch, state }) => batch === 0 && state !== 'accepted')) return;
  await records.dropCycles.recordStep(cycleId, 'lifted', 'accepted');
}

async function openArchive(store: ArchiveStore, folder: string): Promise<DropArchive> {
  return openDropArchive(await store.open(archiveKey(folder)));
}
