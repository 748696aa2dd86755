import { TributaryError } from '../domain/errors.ts';
import type { RowBatch } from '../domain/row-batch.ts';
import type { ManifestChange, StagedRun } from '../records/warehouse/manifest.ts';

/**
 * The warehouse holds segments: sets of devices. It knows nothing of partners, files or HTTP.
 * What it writes is visible only once its runs stand in the manifest, which the caller sees to
 * in the same transaction that settles the job.
 */
export interface Warehouse extends AsyncDisposable {
  /** Begins collecting what one attempt at a job brings. */
  beginLoad(attempt: LoadAttempt): Load;
  /** How many distinct devices the segments hold together. */
  countDistinct(segmentIds: readonly number[], signal: AbortSignal): Promise<number>;
  /** How many devices of one set each of the segments holds, in their order. */
  overlap(of: DeviceSet, segmentIds: readonly number[], signal: AbortSignal): Promise<number[]>;
  /**
   * Brings the universe up to what the attributes' segments hold at some moment during the call.
   * One process at a time does it; another waits and then sees what is left.
   */
  refreshUniverse(signal: AbortSignal): Promise<Universe>;
  /** Throws, in words for an operator, if the warehouse cannot be written to. */
  checkReady(): Promise<void>;
}

export interface LoadAttempt {
  readonly jobId: number;
  readonly attempt: number;
  /** Which load of the attempt, if it has several. */
  readonly load?: number;
}

/** Collects rows within a bounded memory, the rest aside on disk. Disposed of, it leaves no trace of them. */
export interface Load extends AsyncDisposable {
  /** Takes the rows and releases the batch. May be called again before it has resolved. */
  add(batch: RowBatch): Promise<void>;
  /**
   * Writes what is new, per segment, as durable runs: sorted, deduplicated, and disjoint from the
   * runs that the manifest holds now. Called once, when all was added. If it throws it leaves
   * nothing behind; once it has returned, the file is left alone even if the commit fails, for a
   * commit whose answer was lost may have happened all the same.
   */
  stage(meaning: LoadMeaning, signal: AbortSignal): Promise<StagedLoad>;
}

/** What the rows of a load mean. */
export interface LoadMeaning {
  /** The segment that a number in a row stands for: that at its position. */
  readonly segmentIds: readonly number[];
  /** The segment that gets the device of every row, whatever the row names. */
  readonly everyRow: number | null;
  /** Merged into what is there; or replacing it, in every segment that a row names. */
  readonly mode: 'merge' | 'replace';
}

export interface StagedLoad {
  /** Distinct devices over all rows, those already there and those removed included. */
  readonly uniqueDevices: number;
  readonly change: ManifestChange;
}

/**
 * The devices of a segment, with those of runs that are staged for it; or those of the staged runs
 * alone. Staged runs are of one segment, which is what keeps them disjoint.
 */
export type DeviceSet =
  | { readonly segmentId: number; readonly staged?: readonly StagedRun[] }
  | { readonly staged: readonly StagedRun[] };

export interface Universe {
  readonly segmentId: number;
  readonly version: number;
}

/** The universe, and how many runs that came or went it took up. */
export type FoldedUniverse = Universe & { readonly folded: number };

/** What an engine does, beside the lanes, to keep itself tidy. */
export interface Upkeep {
  refreshUniverse(signal: AbortSignal): Promise<FoldedUniverse>;
  compact(options: CompactionOptions, signal: AbortSignal): Promise<Compacted>;
  /** Takes away what nothing refers to, by kind how much. */
  sweep(graceSeconds: number, signal?: AbortSignal): Promise<Readonly<Record<string, number>>>;
}

interface CompactionOptions {
  /** The bytes of a run that was dropped so long ago are to go. */
  readonly rewriteAfterSeconds: number;
  /** Segments with more runs are merged. */
  readonly crowdedAbove?: number;
}

interface Compacted {
  readonly mergedRuns: number;
  readonly rewrittenRuns: number;
  /** Rewritten in vain, because the manifest changed meanwhile; the next time will see to them. */
  readonly conflicts: number;
  /** What kept runs from being rewritten, for good. All others were. */
  readonly damaged: readonly string[];
}

/** A warehouse with what keeps it tidy. */
export type TendedWarehouse = Omit<Warehouse, keyof Upkeep> & Upkeep;

/**
 * What the settings name is not where the device sets are, or not all of it. Whoever needs them waits,
 * for it can be put right, and other processes may have it right.
 */
export class WrongWarehouse extends TributaryError {
  constructor(message: string) {
    super('unavailable', message);
  }
}

/** Runs that were to be read no longer exist: they were replaced, and the sweep deleted them. */
export class RunsMissing extends Error {
  override readonly name: string = 'RunsMissing';
}

/** There is no room on the disk for what a load brings. Nothing of it is left there. */
export class WarehouseFull extends Error {
  override readonly name = 'WarehouseFull';
}
