import { emitImportLogs } from '../../actions/job-events.ts';
import { ManifestConflict } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import type { StagedRun } from '../../records/warehouse/manifest.ts';
import { SuppressionChanged, type SuppressionState } from '../../records/warehouse/suppression.ts';
import type { Maintenance, Warehouse } from '../../warehouse/port.ts';
import { mustStartOver } from '../worker/job-handler.ts';
import type { MaintenanceTask } from '../worker/maintenance.ts';
import { eraseReports } from './erase-reports.ts';
import { digestsOf, inSlices, rowsAddingTo } from './suppression-rows.ts';

interface ApplyDependencies {
  readonly records: Records;
  readonly warehouse: Warehouse & Pick<Maintenance, 'resolveDigests' | 'subtract'>;
  /** How long to wait after a pass that could not read everything. */
  readonly retryMs?: number;
}

const everyMs = 1_000;
const maxAttempts = 5;
const defaultRetryMs = 60 * 60 * 1_000;

interface Done {
  found: number;
  memberships: number;
  reports: number;
  incomplete: number;
}

/**
 * Takes suppressed devices out of everything stored. First it finds stored devices that match new
 * digests, and then it removes all devices that are new on the list. One process at a time does this.
 * Every step can be repeated, so a pass that was interrupted begins again.
 */
export function applySuppressions(deps: ApplyDependencies): MaintenanceTask {
  const { records, warehouse, retryMs = defaultRetryMs } = deps;
  /** The last pass that could not read everything. */
  let incomplete: { readonly state: SuppressionState; readonly endedAt: number } | undefined;

  return {
    name: 'apply suppressions',
    everyMs,
    async run(shutdownSignal) {
      const done: Done = { found: 0, memberships: 0, reports: 0, incomplete: 0 };
      const state = await records.suppression.state();
      if (isApplied(state) || isWaiting(state)) return { ...done };
      await records.unlessLocked('suppressions', (signal) => pass(done, signal), shutdownSignal);
      return { ...done };
    },
  };

  /** Without new suppressions, a pass that was incomplete is repeated only after a while. */
  function isWaiting({ plain, digests }: SuppressionState): boolean {
    if (!incomplete || performance.now() > incomplete.endedAt + retryMs) return false;
    const { state } = incomplete;
    return state.plain.version === plain.version && state.digests.version === digests.version;
  }

  async function pass(done: Done, signal: AbortSignal): Promise<void> {
    await records.refuseNewerSchema();
    const before = await records.suppression.state();
    if (!isResolved(before)) {
      done.reports += await eraseReports(deps, signal);
      await resolve(before, done, signal);
    }
    const state = await records.suppression.state();
    if (state.plain.version > state.appliedVersion) {
      // Again, because more may have been suppressed since.
      done.reports += await eraseReports(deps, signal);
      await subtract(state, done, signal);
    }
    const ended = { state: await records.suppression.state(), endedAt: performance.now() };
    incomplete = done.incomplete > 0 ? ended : undefined;
  }

  async function resolve(state: SuppressionState, done: Done, signal: AbortSignal): Promise<void> {
    const { plain, digests, resolvedVersion } = state;
    const part = { segmentId: digests.segmentId, since: resolvedVersion };
    const { change, isComplete } = await warehouse.resolveDigests(part, plain.segmentId, signal);
    const found = change.add.reduce((sum, { devices }) => sum + devices, 0);
    const matched = await stageMatched(state, change.add, signal);
    const all = { add: [...change.add, ...matched], drop: [] };
    try {
      await commitFound();
      done.found += found;
      if (!isComplete) done.incomplete++;
    } catch (error) {
      // The next pass reads the list again.
      if (!mustStartOver(error)) throw error;
    }

    /** Loads may add devices to the list meanwhile, but hardly the same ones. */
    async function commitFound(): Promise<void> {
      for (let seen = plain.version; ; ) {
        try {
          return await records.inTransaction(async (tx) => {
            await tx.refuseNewerSchema();
            if (found > 0) await tx.suppression.hold({ plain: seen }, { adds: true });
            await tx.manifest.apply(all);
            if (isComplete) await tx.suppression.setResolved(digests.version);
          });
        } catch (error) {
          if (!(error instanceof SuppressionChanged)) throw error;
          const since = { segmentId: plain.segmentId, since: seen };
          const [shared] = await warehouse.compare([{ staged: change.add }], [since], signal);
          if (shared!.devices[0]! > 0) throw error;
          seen = shared!.version;
        }
      }
    }
  }

  /** Stages the digests of devices that were found, which tell what was stored after these are gone. */
  async function stageMatched(
    { matchedSegmentId }: SuppressionState,
    found: readonly StagedRun[],
    signal: AbortSignal,
  ): Promise<readonly StagedRun[]> {
    if (found.length === 0) return [];
    await using load = warehouse.beginLoad({ jobId: null, attempt: null });
    for await (const devices of warehouse.read({ staged: found }, signal)) {
      for await (const slice of inSlices(devices)) {
        await load.add(rowsAddingTo(0, digestsOf(slice)));
      }
    }
    const meaning = { segmentIds: [matchedSegmentId], everyRow: null, mode: 'merge' } as const;
    return (await load.stage(meaning, signal)).change.add;
  }

  async function subtract(state: SuppressionState, done: Done, signal: AbortSignal): Promise<void> {
    const { plain, appliedVersion } = state;
    const part = { segmentId: plain.segmentId, since: appliedVersion };
    const { memberships, isComplete } = await warehouse.subtract(part, signal);
    done.memberships += memberships;
    if (!isComplete) done.incomplete++;
    await retryConflicts(() =>
      records.inTransaction(async (tx) => {
        await tx.refuseNewerSchema();
        // First, because loads lock the suppressed sets before anything else.
        if (isComplete) await tx.suppression.setApplied(plain.version);
        for (const removal of await tx.suppression.takeRemovals()) {
          const jobId = await tx.jobs.recordDone(removal.partnerId, 'deletion');
          await tx.importLogs.addErasure(jobId, removal);
          const { partnerId } = removal;
          await emitImportLogs(tx, 'privacy.applied', [{ partnerId, jobId }]);
        }
      }),
    );
  }
}

/** A compaction may replace the runs of the list meanwhile. */
async function retryConflicts(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ManifestConflict) || attempt === maxAttempts) throw error;
    }
  }
}

function isResolved({ digests, resolvedVersion }: SuppressionState): boolean {
  return resolvedVersion >= digests.version;
}

function isApplied(state: SuppressionState): boolean {
  return isResolved(state) && state.appliedVersion >= state.plain.version;
}
