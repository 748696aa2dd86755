import { TributaryError } from '../domain/errors.ts';
import type { RowBatch } from '../domain/row-batch.ts';
import type { ManifestChange, Run, StagedRun } from '../records/warehouse/manifest.ts';

/**
 * The warehouse holds segments, which are sets of devices. It knows nothing of partners, files or
 * HTTP. New runs become visible when the caller adds them to the manifest, in the transaction that
 * settles the job.
 */
export interface Warehouse extends AsyncDisposable {
  /** Begins a load for one attempt at a job. */
  beginLoad(attempt: LoadAttempt): Load;
  /** Counts the distinct devices in the union of the segments. */
  countDistinct(segmentIds: readonly number[], signal: AbortSignal): Promise<number>;
  /** Counts how many devices of each set each segment holds, in the order of `parts`. */
  compare(
    sets: readonly DeviceSet[],
    parts: readonly SegmentPart[],
    signal: AbortSignal,
  ): Promise<SegmentCount[]>;
  /** For each segment, in the given order: how many devices of the set it holds. */
  overlap(of: DeviceSet, segmentIds: readonly number[], signal: AbortSignal): Promise<number[]>;
  /**
   * Yields the devices of the set that each segment holds, segment by segment and run by run, in
   * ascending batches. Segments that hold none are left out.
   */
  intersect(
    of: DeviceSet,
    segmentIds: readonly number[],
    signal: AbortSignal,
  ): AsyncIterable<SegmentDevices>;
  /** Yields the devices of a set, as packed words, in ascending batches, each valid until the next. */
  read(of: DeviceSet, signal: AbortSignal): AsyncIterable<Uint32Array>;
  /** Checks whether staged runs, of any segments, have devices that were suppressed since. */
  checkSuppressed(
    staged: readonly StagedRun[],
    since: SuppressedSince,
    signal: AbortSignal,
  ): Promise<SuppressedCheck>;
  /** Returns those of the devices, as packed words, that are suppressed, in ascending order. */
  findSuppressed(
    devices: Uint32Array,
    suppressed: Suppressed,
    signal: AbortSignal,
  ): Promise<Uint32Array>;
  /**
   * Brings the universe up to date with the attributes at some moment during the call.
   * One process at a time folds; the others wait for it and then fold what is still pending.
   */
  refreshUniverse(signal: AbortSignal): Promise<Universe>;
  /** Throws an error with a message for operators if the warehouse is not writable. */
  checkReady(): Promise<void>;
  /** The servers that have copies of each other. Empty if there are none. */
  replicas(): Promise<ReplicaReport[]>;
}

/** A server that has copies of the same devices as another. */
export interface ReplicaReport {
  readonly name: string;
  /** `behind`: it answers, but has not copied all rows yet. */
  readonly state: 'up' | 'behind' | 'down';
  /** Why it is not up. Empty if it is. */
  readonly reason: string;
}

export interface LoadAttempt {
  /** Both are null for a load that belongs to no job. It must be committed within 15 minutes. */
  readonly jobId: number | null;
  readonly attempt: number | null;
  /** Number of the load, if the attempt has several. */
  readonly load?: number;
  /** The load may take little memory. `add` throws `LoadTooLarge` if it needs more. */
  readonly mustBeSmall?: boolean;
}

/**
 * Collects rows in bounded memory and spills the rest to disk. Disposing deletes what is not staged. If
 * there is too little space, both methods throw a `storage_full` error.
 */
export interface Load extends AsyncDisposable {
  /** Adds the rows and releases the batch. Calls may overlap. */
  add(batch: RowBatch): Promise<void>;
  /**
   * Writes the new devices of each segment as durable runs: sorted, deduplicated, and disjoint from
   * the runs now in the manifest. Call it once, after the last `add`. If it throws, it leaves no file.
   * A staged file stays even if the commit fails, because a commit whose reply was lost may have
   * succeeded.
   */
  stage(meaning: LoadMeaning, signal: AbortSignal): Promise<StagedLoad>;
}

/** How the rows of a load are applied to segments. */
export interface LoadMeaning {
  /** Maps the segment numbers in rows, from 0, to segment ids. */
  readonly segmentIds: readonly number[];
  /** The segment that gets the device of every row, whichever segments the row names. */
  readonly everyRow: number | null;
  /** `replace` drops the previous devices of every segment that a row names. */
  readonly mode: 'merge' | 'replace';
  /** Rows with these devices are ignored. */
  readonly suppressed?: Suppressed | undefined;
}

/** Devices that must not be stored. */
export interface Suppressed {
  /** The segment with digests of all: the first 128 bits of the SHA-256 of their 32 digits. */
  readonly digests: number;
  /** The segment of those that may still be stored. */
  readonly plain: number;
  /** A segment whose devices match no digest, so that they need not be hashed; null if there is none. */
  readonly known: number | null;
}

/** The parts of both segments that came after some version. */
interface SuppressedSince {
  readonly plain: SegmentPart;
  readonly digests: SegmentPart;
}

interface SuppressedCheck {
  /** The versions of both segments up to which they were checked. */
  readonly versions: { readonly plain: number; readonly digests: number };
  readonly isAny: boolean;
}

export interface StagedLoad {
  /**
   * Distinct devices in all rows, including devices already present and removed ones, but not those
   * that are suppressed.
   */
  readonly uniqueDevices: number;
  /** Distinct devices that were left out because they are suppressed. */
  readonly suppressedDevices: number;
  readonly change: ManifestChange;
}

/** Devices of a segment, as packed words. Valid until the next ones are requested. */
interface SegmentDevices {
  readonly segmentId: number;
  readonly runId: number;
  readonly devices: Uint32Array;
}

/**
 * The devices of a segment, optionally with runs staged for it; or the devices of staged runs alone.
 * All staged runs belong to one segment, so they are disjoint.
 */
export type DeviceSet =
  | { readonly segmentId: number; readonly staged?: readonly StagedRun[] }
  | { readonly staged: readonly StagedRun[] };

/** A segment, or what it gained. */
export interface SegmentPart {
  readonly segmentId: number;
  /** Only devices that came after this version of the segment. */
  readonly since?: number;
}

/** The devices of sets in one segment. */
export interface SegmentCount {
  /** The version of the segment that was counted. */
  readonly version: number;
  /**
   * Whether only devices since the given version were counted. Otherwise the whole segment was,
   * because it lost devices since, or because its runs do not tell old devices from new ones.
   */
  readonly isGain: boolean;
  /** In the order of the sets. */
  readonly devices: readonly number[];
}

interface Universe {
  readonly segmentId: number;
  readonly version: number;
}

/** The universe, and how many added or dropped runs were folded into it. */
export type FoldedUniverse = Universe & { readonly folded: number };

/** Background work of an engine, independent of the lanes. */
export interface Maintenance {
  refreshUniverse(signal: AbortSignal): Promise<FoldedUniverse>;
  compact(options: CompactionOptions, signal: AbortSignal): Promise<Compacted>;
  /**
   * Finds all stored devices whose digests are in the given part of a segment, and writes those that are
   * not in the segment `into` yet as runs of it. The caller commits them.
   */
  resolveDigests(
    digests: SegmentPart,
    into: number,
    signal: AbortSignal,
  ): Promise<{ readonly change: ManifestChange } & Completeness>;
  /**
   * Takes the devices out of all segments except suppressed ones, and commits that step by step. Loads
   * go on meanwhile. They must not add such devices.
   */
  subtract(removed: SegmentPart, signal: AbortSignal): Promise<Subtracted>;
  /** Deletes unreferenced data; returns how much of each kind. */
  sweep(graceSeconds: number, signal?: AbortSignal): Promise<Readonly<Record<string, number>>>;
}

/**
 * Reads and writes whole runs, to copy them from one place to another. The manifest is neither read nor
 * changed.
 */
export interface RunTransfer {
  /** Yields the runs in the given order, each with its devices. Throws if a run is not complete. */
  readRuns(runs: readonly Run[], signal: AbortSignal): AsyncIterable<RunContent>;
  /** Writes durable runs with the same devices, and returns them in the same order, each counted. */
  writeRuns(contents: AsyncIterable<RunContent>, signal: AbortSignal): Promise<StagedRun[]>;
  /** Returns for each of the runs whether this place holds all of its devices. Reads no devices. */
  haveRuns(runs: readonly StagedRun[], signal: AbortSignal): Promise<boolean[]>;
}

/** A run, and its devices as packed words, in ascending batches. Valid until the next one is requested. */
export interface RunContent {
  readonly segmentId: number;
  readonly devices: AsyncIterable<Uint32Array>;
}

/** Whether everything stored could be read. */
interface Completeness {
  readonly isComplete: boolean;
}

interface Subtracted extends Completeness {
  /** Over all segments, so a device counts in each of them. */
  readonly memberships: number;
  readonly rewrittenRuns: number;
  /** Rewrites that were repeated because the manifest changed meanwhile. */
  readonly conflicts: number;
}

interface CompactionOptions {
  /** Files are rewritten this long after one of their runs was dropped, so that its bytes are gone. */
  readonly rewriteAfterSeconds: number;
  /** Segments with more runs than this are compacted. */
  readonly crowdedAbove?: number;
}

interface Compacted {
  readonly mergedRuns: number;
  readonly rewrittenRuns: number;
  /** Rewrites discarded because the manifest changed meanwhile. The next compaction repeats them. */
  readonly conflicts: number;
  /** One message for each run that is damaged and could not be rewritten. */
  readonly damaged: readonly string[];
}

export type MaintainedWarehouse = Omit<Warehouse, keyof Maintenance> & Maintenance & RunTransfer;

/**
 * The settings point to the wrong warehouse, or to part of it. Jobs wait, because an operator can fix
 * the settings and other processes may have the right ones.
 */
export class WrongWarehouse extends TributaryError {
  constructor(message: string) {
    super('unavailable', message);
  }
}

/** A load that must be small has more rows than fit into a small buffer. */
export class LoadTooLarge extends Error {
  override readonly name = 'LoadTooLarge';
}

/** Runs that were to be read do not exist: they were replaced and swept, or their files are lost. */
export class RunsMissing extends Error {
  override readonly name: string = 'RunsMissing';
}

/**
 * Runs existed when the work began, and were replaced and swept while it read them. The caller starts
 * over from the current manifest.
 */
export class RunsRemoved extends RunsMissing {
  override readonly name = 'RunsRemoved';
}
