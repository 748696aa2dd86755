import type { FileReading, OpenedFile } from '../../intake/intake.ts';
import { beginFileSpan, beginSpan, throughSpan } from '../../trace/span.ts';

type Source = AsyncIterable<Uint8Array>;

/**
 * Opens a file in a span `scan`, which ends when the file is read. It has a span `read`, which ends with
 * the last byte from the store. The two overlap, because rows are scanned while more bytes are read.
 */
export function traceFile(
  file: string,
  source: Source,
  open: (source: Source) => OpenedFile,
): OpenedFile {
  const span = beginFileSpan('scan', { 'tributary.file': file });
  if (!span) return open(source);
  const opened = span.run(() => open(inReadSpan(source)));
  return {
    read: (receiver) => throughSpan(span, () => opened.read(receiver), describe),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

function describe({ outcome, totalRows, rejectedRows }: FileReading) {
  return {
    'tributary.outcome': outcome,
    'tributary.rows': totalRows,
    'tributary.rejected_rows': rejectedRows,
  };
}

async function* inReadSpan(source: Source): AsyncGenerator<Uint8Array> {
  const span = beginSpan('read');
  let bytes = 0;
  try {
    for await (const chunk of source) {
      bytes += chunk.length;
      yield chunk;
    }
  } finally {
    span?.end({ attributes: { 'tributary.bytes': bytes } });
  }
}
