import { isStorageFull, messageOf } from '../../domain/errors.ts';
import {
  type ImportProblem,
  keepFirst,
  noticeLeftOut,
  noticeSuppressed,
  wholeImportProblem,
} from '../../domain/import-problems.ts';
import type { FileReading, Intake, OpenedFile } from '../../intake/intake.ts';
import { type ObjectStore, type ObjectVersion, VersionGone } from '../../objects/port.ts';
import type { SegmentKeys } from '../../records/marketplace/attributes.ts';
import type { ImportRequest } from '../../records/marketplace/import-logs.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { RejectAllowance } from '../../records/queue/rejects.ts';
import type { Records } from '../../records/records.ts';
import { inSpan } from '../../trace/span.ts';
import type { Load, Warehouse } from '../../warehouse/port.ts';
import { openFiles } from '../parts/open-files.ts';
import type { SharingLimits } from '../parts/plan-parts.ts';
import {
  type FileSource,
  fileChanged,
  listFiles,
  SourceFailure,
  TooManyFiles,
} from '../worker/file-source.ts';
import { createRejectKeeper } from '../worker/keep-rejects.ts';
import { createRejectWriter } from '../worker/reject-writer.ts';
import { type FilteredLoad, stageFiltered } from '../worker/suppression.ts';
import { digestOfKeys, openImportPart } from './import-part.ts';
import type { ImportReport } from './import-report.ts';

export interface ImportFilesDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly intake: Intake;
  readonly warehouse: Warehouse;
  /** The share of rejected rows above which a file fails. */
  readonly rejectLimit: number;
  readonly rejectAllowance?: RejectAllowance | undefined;
  /** A job with more files fails. */
  readonly maxFiles: number;
  /** Which jobs other workers may read parts of. Undefined: none. */
  readonly sharing?: SharingLimits | undefined;
}

export interface ImportFilesOptions {
  readonly claim: Claim;
  readonly request: ImportRequest;
  readonly keys: SegmentKeys;
  readonly report: ImportReport;
  readonly signal: AbortSignal;
}

interface Reading {
  readonly outcome: 'read' | 'failed';
  readonly totalRows: number;
  readonly problems: readonly ImportProblem[];
}

interface CountedReading extends Reading {
  /** Rejected rows that are not kept. */
  readonly leftOut: number;
  /** The name of the file, if there is only one. */
  readonly onlyFile: string | null;
}

/** What was read and staged. `staged` is null if the import failed. */
export interface ImportOutcome {
  readonly reading: Reading;
  readonly staged: FilteredLoad | null;
}

/** Stages the rows of all files. If a file is replaced meanwhile, it starts again with all of them. */
export async function stageImportFiles(
  deps: ImportFilesDependencies,
  source: FileSource,
  options: ImportFilesOptions,
): Promise<ImportOutcome> {
  for (;;) {
    await using load = deps.warehouse.beginLoad(options.claim);
    const outcome = await readAll(load, deps, source, options);
    if (outcome === null) continue;
    const { leftOut, onlyFile, ...read } = outcome;
    const reading = { ...read, problems: noticeLeftOut(read.problems, leftOut, null) };
    if (reading.outcome === 'failed') return { reading, staged: null };
    try {
      const { keys, request, signal } = options;
      const meaning = { segmentIds: keys.segmentIds, everyRow: null, mode: request.mode };
      const staged = await inSpan('stage', () =>
        stageFiltered(deps.records, load, meaning, signal),
      );
      const place = onlyFile ?? request.filePath;
      const problems = noticeSuppressed(reading.problems, staged.suppressedDevices, place);
      return { reading: { ...reading, problems }, staged };
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      return { reading: failed(reading, storageFull(error)), staged: null };
    }
  }
}

/** Reads every file into the load; null if one of them was replaced meanwhile. */
async function readAll(
  load: Load,
  deps: ImportFilesDependencies,
  source: FileSource,
  options: ImportFilesOptions,
): Promise<CountedReading | null> {
  const soFar = {
    totalRows: 0,
    leftOut: 0,
    problems: [] as ImportProblem[],
    onlyFile: null as string | null,
  };
  try {
    // All files are listed first because progress is a share of their total size.
    const files = await listFiles(source, deps.maxFiles);
    await options.report.begin(files, source.nameOf);
    if (files.length === 0) return failed(soFar, noFiles(options.request));
    if (files.length === 1) soFar.onlyFile = source.nameOf(files[0]!);
    let position = 0;
    for await (const [, file] of await openImportFiles(files, deps, source, options)) {
      const reading = await readOne(file, position++, load, deps, options);
      soFar.problems = keepFirst([...soFar.problems, ...reading.problems]);
      soFar.totalRows += reading.totalRows;
      soFar.leftOut += reading.leftOut;
      if (reading.outcome === 'failed') return { ...soFar, outcome: 'failed' };
    }
    return { ...soFar, outcome: 'read' };
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof VersionGone) return null;
    if (error instanceof TooManyFiles) return failed(soFar, error.problem);
    if (isStorageFull(error)) return failed(soFar, storageFull(error));
    if (error instanceof SourceFailure) {
      return failed(soFar, await source.failureOf(error.cause));
    }
    throw error;
  }
}

function openImportFiles(
  files: readonly ObjectVersion[],
  deps: ImportFilesDependencies,
  source: FileSource,
  { claim, request, keys, signal }: ImportFilesOptions,
): ReturnType<typeof openFiles> {
  const { intake, rejectLimit } = deps;
  const reading = { request, keys, rejectLimit, signal };
  return openFiles(deps, files, {
    claim,
    keys: digestOfKeys(keys),
    partsAtOnce: intake.filesAtOnce,
    rejectLimit,
    signal,
    nameOf: source.nameOf,
    open: (part) => openImportPart(intake, source, reading, part),
    layoutOf: async (version) =>
      request.compressed ? null : intake.layoutOf(source.open(version), 'marketplace'),
  });
}

async function readOne(
  file: OpenedFile,
  position: number,
  load: Load,
  deps: ImportFilesDependencies,
  { claim, report, signal }: ImportFilesOptions,
): Promise<FileReading & { leftOut: number }> {
  const fileReport = report.beginFile(position);
  const keepRejects = createRejectKeeper(deps, claim, signal);
  const rejects = createRejectWriter((batch) => keepRejects(position, batch));
  try {
    const reading = await file.read({
      onBytes: fileReport.countBytes,
      onReject(reject) {
        fileReport.countReject();
        rejects.add(reject);
      },
      onBatch(batch) {
        fileReport.countRows(batch.rows);
        return load.add(batch);
      },
    });
    fileReport.end(reading);
    return { ...reading, leftOut: reading.rejectedRows - (await rejects.end()) };
  } finally {
    await rejects.end();
  }
}

function failed<T extends Omit<Reading, 'outcome'>>(soFar: T, problem: ImportProblem) {
  return { ...soFar, outcome: 'failed' as const, problems: [...soFar.problems, problem] };
}

function noFiles({ filePath, etag }: ImportRequest): ImportProblem {
  if (etag !== null) return fileChanged(filePath);
  return wholeImportProblem(
    'no_files',
    `No object found at or under ${JSON.stringify(filePath)}. Upload the files, then queue the import again.`,
  );
}

function storageFull(error: unknown): ImportProblem {
  return wholeImportProblem(
    'storage_full',
    `There is not enough space to load the files. ${messageOf(error)} Nothing was applied. Queue the import again when the operator has freed space.`,
  );
}
