import { type ImportProblem, wholeImportProblem } from '../domain/import-problems.ts';
import { sharedBucketKey } from '../domain/source-path.ts';
import { type FileReading, readMarketplaceFile } from '../intake/read-marketplace-file.ts';
import { type ObjectStore, type ObjectVersion, VersionGone } from '../objects/port.ts';
import type { ImportRequest } from '../records/import-logs.ts';
import type { Claim } from '../records/jobs.ts';
import { partnerPrefix } from '../records/partners.ts';
import type { Records } from '../records/records.ts';
import type { Load, Warehouse } from '../warehouse/port.ts';
import type { JobKindHandler } from './kind.ts';

export interface ImportDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
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
      const segments = await records.attributes.segmentsByKey(claim.partnerId, request.keyType);
      const { load, reading } = await readAll(deps, claim, request, segments, signal);

      if (reading.outcome === 'failed') {
        await records.inTransaction(async (tx) => {
          await tx.jobs.settle(claim, 'failed');
          await tx.importLogs.settle(claim.jobId, { ...reading, uniqueDevices: 0 });
        });
        return;
      }

      const { runs, uniqueDevices } = await load.stage(signal);
      await records.inTransaction(async (tx) => {
        await tx.jobs.settle(claim, 'done');
        await tx.manifest.add(runs);
        await tx.importLogs.settle(claim.jobId, { ...reading, uniqueDevices });
      });
    },

    async giveUp(tx, jobId, problem) {
      await tx.importLogs.settle(jobId, { uniqueDevices: 0, totalRows: 0, problems: [problem] });
    },
  };
}

type Reading = Pick<FileReading, 'outcome' | 'totalRows' | 'problems'>;

/** Reads every file of the import. If one is replaced while it is read, all are read anew. */
async function readAll(
  { objects, warehouse, rejectLimit }: ImportDependencies,
  claim: Claim,
  request: ImportRequest,
  segments: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<{ load: Load; reading: Reading }> {
  for (;;) {
    const load = warehouse.beginLoad(claim);
    try {
      return { load, reading: await readInto(load) };
    } catch (error) {
      if (!(error instanceof VersionGone)) throw error;
      signal.throwIfAborted();
    }
  }

  async function readInto(load: Load): Promise<Reading> {
    const problems: ImportProblem[] = [];
    let totalRows = 0;
    let files = 0;
    for await (const version of filesOf(objects, claim.partnerId, request)) {
      files++;
      const reading = await readMarketplaceFile(
        abortable(objects.open(version, 0), signal),
        { file: version.key, segmentOf: (key) => segments.get(key), rejectLimit },
        load.add,
      );
      problems.push(...reading.problems);
      totalRows += reading.totalRows;
      if (reading.outcome === 'failed') return { outcome: 'failed', totalRows, problems };
    }
    if (files > 0) return { outcome: 'read', totalRows, problems };
    return { outcome: 'failed', totalRows, problems: [noFiles(request)] };
  }
}

/** The files that the import names at this moment, in key order. */
async function* filesOf(
  objects: ObjectStore,
  partnerId: number,
  request: ImportRequest,
): AsyncGenerator<ObjectVersion> {
  const key = sharedBucketKey(partnerPrefix(partnerId), request.filePath);
  // Checked when it was submitted; a path that means nothing any more names no files.
  if (typeof key !== 'string') return;
  for await (const version of objects.find(key)) {
    const isFolderMarker = version.size === 0 && version.key.endsWith('/');
    if (!isFolderMarker) yield version;
  }
}

function noFiles(request: ImportRequest): ImportProblem {
  return wholeImportProblem(
    'no_files',
    `There is no object at, and none below, ${JSON.stringify(request.filePath)} under your prefix: upload the files first, then queue the import.`,
  );
}

async function* abortable(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    signal.throwIfAborted();
    yield chunk;
  }
}
