import { createHash } from 'node:crypto';
import { type Intake, linesOfRange, type OpenedMarketplaceFile } from '../../intake/intake.ts';
import type { SegmentKeys } from '../../records/marketplace/attributes.ts';
import type { ImportRequest } from '../../records/marketplace/import-logs.ts';
import type { InputPart } from '../parts/plan-parts.ts';
import type { FileSource } from '../worker/file-source.ts';
import { traceFile } from '../worker/file-spans.ts';

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
  { request, keys, rejectLimit, signal }: ImportReading,
  { version, range, layout }: Omit<InputPart, 'file'>,
): OpenedMarketplaceFile {
  const file = source.nameOf(version);
  const bytes = range
    ? linesOfRange((offset) => source.open(version, offset), range)
    : source.open(version);
  return traceFile(file, bytes, (traced) =>
    intake.openMarketplaceFile(traced, {
      file,
      compressed: request.compressed ?? undefined,
      compressedBytes: version.size,
      segmentNumbers: keys.numbers,
      mode: request.mode,
      rejectLimit,
      layout: layout ?? undefined,
      signal,
    }),
  );
}

/** Two workers have the same digest only if they read rows with the same attributes. */
export function digestOfKeys({ segmentIds, numbers }: SegmentKeys): string {
  const hash = createHash('sha256').update(JSON.stringify(segmentIds));
  for (const entry of numbers) hash.update(JSON.stringify(entry));
  return hash.digest('hex');
}
