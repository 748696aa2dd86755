import { type ImportProblem, wholeImportProblem } from '../domain/import-problems.ts';
import { type FileReading, readMarketplaceFile } from '../intake/read-marketplace-file.ts';
import { VersionGone } from '../objects/port.ts';
import type { Load, Warehouse } from '../warehouse/port.ts';
import { type ImportSource, openSource, type SourceDependencies } from './import-source.ts';
import type { JobKindHandler } from './kind.ts';

export interface ImportDependencies extends SourceDependencies {
  readonly warehouse: Warehouse;
  /** The share of a file's rows that may be rejected before the file fails. */
  readonly rejectLimit: number;
}

/** Loads a partner's files into its attributes: all of them together, or nothing. */
export function createImport(deps: ImportDependencies): JobKindHandler {
  const { records, warehouse } = deps;
  return {
    async run(claim, signal) {
      const request = await records.importLogs.request(claim.jobId);
      const segments = await records.attributes.segmentsByKey(claim.partnerId, request.keyType);
      await using source = await openSource(deps, claim, request);
      const { load, reading } = await readAll(source, {
        beginLoad: () => warehouse.beginLoad(claim),
        segmentOf: (key) => segments.get(key),
        rejectLimit: deps.rejectLimit,
        filePath: request.filePath,
        signal,
      });

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

interface ReadingOptions {
  readonly beginLoad: () => Load;
  readonly segmentOf: (key: string) => number | undefined;
  readonly rejectLimit: number;
  readonly filePath: string;
  readonly signal: AbortSignal;
}

type Reading = Pick<FileReading, 'outcome' | 'totalRows' | 'problems'>;

/** Reads every file of the import. If one is replaced while it is read, all are read anew. */
async function readAll(
  source: ImportSource,
  options: ReadingOptions,
): Promise<{ load: Load; reading: Reading }> {
  for (;;) {
    const load = options.beginLoad();
    try {
      return { load, reading: await readInto(load, source, options) };
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof VersionGone) continue;
      const problem = await source.failureOf(error);
      return { load, reading: { outcome: 'failed', totalRows: 0, problems: [problem] } };
    }
  }
}

async function readInto(
  load: Load,
  source: ImportSource,
  { segmentOf, rejectLimit, filePath, signal }: ReadingOptions,
): Promise<Reading> {
  const problems: ImportProblem[] = [];
  let totalRows = 0;
  let files = 0;
  for await (const version of source.files()) {
    files++;
    const reading = await readMarketplaceFile(
      abortable(source.open(version), signal),
      { file: source.nameOf(version), segmentOf, rejectLimit },
      load.add,
    );
    problems.push(...reading.problems);
    totalRows += reading.totalRows;
    if (reading.outcome === 'failed') return { outcome: 'failed', totalRows, problems };
  }
  if (files > 0) return { outcome: 'read', totalRows, problems };
  return { outcome: 'failed', totalRows, problems: [noFiles(filePath)] };
}

function noFiles(filePath: string): ImportProblem {
  return wholeImportProblem(
    'no_files',
    `There is no object at, and none below, ${JSON.stringify(filePath)}: upload the files first, then queue the import.`,
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
