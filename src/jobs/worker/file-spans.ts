import type { FileReading } from '../../intake/intake.ts';
import { beginFileSpan, beginSpan, throughSpan } from '../../trace/span.ts';

type Source = AsyncIterable<Uint8Array>;

/**
 * Reads a file in a span `scan`, which has a span `read` that ends with the last byte from the store.
 * The two overlap, because rows are scanned while more bytes are read.
 */
export async function inFileSpans(
  file: string,
  source: Source,
  scan: (source: Source) => Promise<FileReading>,
): Promise<FileReading> {
  const span = beginFileSpan('scan', { 'tributary.file': file });
  if (!span) return scan(source);
  return throughSpan(
    span,
    () => scan(inReadSpan(source)),
    ({ outcome, totalRows, rejectedRows }) => ({
      'tributary.outcome': outcome,
      'tributary.rows': totalRows,
      'tributary.rejected_rows': rejectedRows,
    }),
  );
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
