import { type FileOptions, linesOfRange, type OpenedFile } from '../../intake/intake.ts';
import type { FileSource } from '../worker/file-source.ts';
import { traceFile } from '../worker/file-spans.ts';
import type { FilePart } from './plan-parts.ts';

/** Opens a file, or some of its lines, with `open`. */
export function openPart(
  source: Pick<FileSource, 'open' | 'nameOf'>,
  { version, range, layout }: FilePart,
  reading: Pick<FileOptions, 'rejectLimit' | 'signal'>,
  open: (lines: AsyncIterable<Uint8Array>, options: FileOptions) => OpenedFile,
): OpenedFile {
  const file = source.nameOf(version);
  const lines = range
    ? linesOfRange((offset) => source.open(version, offset), range)
    : source.open(version);
  const options = {
    ...reading,
    file,
    compressed: undefined,
    compressedBytes: version.size,
    layout: layout ?? undefined,
  };
  return traceFile(file, lines, (traced) => open(traced, options));
}
