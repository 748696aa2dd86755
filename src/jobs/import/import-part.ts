import { createHash } from 'node:crypto';
import type { Intake, OpenedFile } from '../../intake/intake.ts';
import type { SegmentKeys } from '../../records/marketplace/attributes.ts';
import type { ImportRequest } from '../../records/marketplace/import-logs.ts';
import { openPart } from '../parts/open-part.ts';
import type { FilePart } from '../parts/plan-parts.ts';
import type { OpenPartSource } from '../parts/read-parts.ts';
import type { FileSource } from '../worker/file-source.ts';
import { type ImportSourceDependencies, openImportSource } from './import-source.ts';

export interface ImportReading {
  readonly request: ImportRequest;
  readonly keys: SegmentKeys;
  readonly rejectLimit: number;
  readonly signal: AbortSignal;
}

/** Opens a file of an import, or some of its lines. */
export function openImportPart(
  intake: Intake,
  source: FileSource,
  { request, keys, ...reading }: ImportReading,
  part: FilePart,
): OpenedFile {
  return openPart(source, part, reading, (lines, options) =>
    intake.openMarketplaceFile(lines, {
      ...options,
      compressed: request.compressed ?? undefined,
      segmentNumbers: keys.numbers,
      mode: request.mode,
    }),
  );
}

/** Opens the files of an import that another worker has. */
export function importParts(
  deps: ImportSourceDependencies & { readonly intake: Intake },
): OpenPartSource {
  const { records, intake } = deps;
  return async (job, signal) => {
    const request = await records.importLogs.request(job.jobId);
    const keys = await records.attributes.segmentKeys(job.partnerId, request.keyType);
    const source = await openImportSource(deps, job, request);
    // The worker that has the job adds up the rejected rows of a file.
    const reading = { request, keys, rejectLimit: 1, signal };
    return {
      keys: digestOfKeys(keys),
      open: (part) => openImportPart(intake, source, reading, part),
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    };
  };
}

/** Two workers have the same digest only if they read rows with the same attributes. */
export function digestOfKeys({ segmentIds, numbers }: SegmentKeys): string {
  const hash = createHash('sha256').update(JSON.stringify(segmentIds));
  for (const entry of numbers) hash.update(JSON.stringify(entry));
  return hash.digest('hex');
}
