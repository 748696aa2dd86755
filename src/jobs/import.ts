import { ManifestConflict, messageOf } from '../domain/errors.ts';
import { type ImportProblem, wholeImportProblem } from '../domain/import-problems.ts';
import type { Intake } from '../intake/intake.ts';
import { VersionGone } from '../objects/port.ts';
import type { SegmentKeys } from '../records/attributes.ts';
import {
  type Load,
  type LoadAttempt,
  type StagedLoad,
  type Warehouse,
  WarehouseFull,
} from '../warehouse/port.ts';
import { type ImportSource, openSource, type SourceDependencies } from './import-source.ts';
import { type JobKindHandler, RetryLater } from './kind.ts';

export interface ImportDependencies extends SourceDependencies {
  readonly intake: Intake;
  readonly warehouse: Warehouse;
  /** The share of a file's rows that may be rejected before the file fails. */
  readonly rejectLimit: number;
}

/** Loads a partner's files into its attributes: all of them together, or nothing. */
export function createImport(deps: ImportDependencies): JobKindHandler {
  const { records } = deps;
  return {
    async run(claim, signal) {
      const request = await records.importLogs.request(claim.jobId);
      const keys = await records.attributes.segmentKeys(claim.partnerId, request.keyType);
      await using source = await openSource(deps, claim, request);
      const outcome = await loadAll(deps, source, {
        attempt: claim,
        filePath: request.filePath,
        keys,
        signal,
      });

      try {
        await records.inTransaction(async (tx) => {
          await tx.jobs.settle(claim, outcome.staged ? 'done' : 'failed');
          if (outcome.staged) await tx.manifest.apply(outcome.staged.change);
          const uniqueDevices = outcome.staged?.uniqueDevices ?? 0;
          await tx.importLogs.settle(claim.jobId, { ...outcome.reading, uniqueDevices });
        });
      } catch (error) {
        // Maintenance replaced a run that this import was to change: it is read and changed anew.
        throw error instanceof ManifestConflict ? new RetryLater(0, error) : error;
      }
    },

    async giveUp(tx, jobId, problem) {
      await tx.importLogs.settle(jobId, { uniqueDevices: 0, totalRows: 0, problems: [problem] });
    },
  };
}

interface LoadOptions {
  readonly attempt: LoadAttempt;
  readonly filePath: string;
  readonly keys: SegmentKeys;
  readonly signal: AbortSignal;
}

interface Reading {
  readonly outcome: 'read' | 'failed';
  readonly totalRows: number;
  readonly problems: readonly ImportProblem[];
}

/** What was read, and what is staged of it: nothing if the import failed. */
interface Outcome {
  readonly reading: Reading;
  readonly staged: StagedLoad | null;
}

async function loadAll(
  deps: ImportDependencies,
  source: ImportSource,
  options: LoadOptions,
): Promise<Outcome> {
  for (;;) {
    await using load = deps.warehouse.beginLoad(options.attempt);
    const reading = await readAll(load, deps, source, options);
    // A file was replaced while it was read: all are read anew.
    if (reading === null) continue;
    if (reading.outcome === 'failed') return { reading, staged: null };
    try {
      const { segmentIds } = options.keys;
      const meaning = { segmentIds, everyRow: null, mode: 'merge' } as const;
      return { reading, staged: await load.stage(meaning, options.signal) };
    } catch (error) {
      if (!(error instanceof WarehouseFull)) throw error;
      return { reading: failed(warehouseFull(error), reading.totalRows), staged: null };
    }
  }
}

/** Reads every file of the import into the load; null if one of them changed meanwhile. */
async function readAll(
  load: Load,
  deps: ImportDependencies,
  source: ImportSource,
  options: LoadOptions,
): Promise<Reading | null> {
  const problems: ImportProblem[] = [];
  let totalRows = 0;
  let files = 0;
  try {
    for await (const version of source.files()) {
      files++;
      const reading = await deps.intake.readMarketplaceFile(
        source.open(version),
        {
          file: source.nameOf(version),
          compressed: undefined,
          compressedBytes: version.size,
          segmentNumbers: options.keys.numbers,
          mode: 'merge',
          rejectLimit: deps.rejectLimit,
          signal: options.signal,
        },
        load.add,
      );
      problems.push(...reading.problems);
      totalRows += reading.totalRows;
      if (reading.outcome === 'failed') return { outcome: 'failed', totalRows, problems };
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof VersionGone) return null;
    if (error instanceof WarehouseFull) return failed(warehouseFull(error), totalRows);
    return failed(await source.failureOf(error), totalRows);
  }
  if (files === 0) return failed(noFiles(options.filePath), 0);
  return { outcome: 'read', totalRows, problems };
}

function failed(problem: ImportProblem, totalRows: number): Reading {
  return { outcome: 'failed', totalRows, problems: [problem] };
}

function noFiles(filePath: string): ImportProblem {
  return wholeImportProblem(
    'no_files',
    `There is no object at, and none below, ${JSON.stringify(filePath)}: upload the files first, then queue the import.`,
  );
}

function warehouseFull(error: WarehouseFull): ImportProblem {
  return wholeImportProblem(
    'storage_unavailable',
    `The service has no room left for the import (${messageOf(error)}). Nothing was applied; tell the operator before you send it again.`,
  );
}
