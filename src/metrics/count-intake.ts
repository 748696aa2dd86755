import type { FileReading, Intake } from '../intake/intake.ts';

/** Counts what is read while it is read, not only when a file has ended. */
export interface IntakeCounts {
  /** Stored, that is compressed, bytes. */
  addBytes(bytes: number): void;
  /** Including rejected rows. */
  addRows(rows: number): void;
  addRejects(rows: number): void;
}

type FileKind = 'import' | 'audience';

/** The same intake. What it reads is counted. */
export function countIntake(
  intake: Intake,
  counts: Readonly<Record<FileKind, IntakeCounts>>,
): Intake {
  return {
    ...intake,
    readMarketplaceFile: (source, options, onBatch) =>
      countFile(counts.import, source, onBatch, (counted, onCounted) =>
        intake.readMarketplaceFile(counted, options, onCounted),
      ),
    readAudienceFile: (source, options, onBatch) =>
      countFile(counts.audience, source, onBatch, (counted, onCounted) =>
        intake.readAudienceFile(counted, options, onCounted),
      ),
  };
}

type Source = AsyncIterable<Uint8Array>;
type OnBatch = Parameters<Intake['readAudienceFile']>[2];

async function countFile(
  counts: IntakeCounts,
  source: Source,
  onBatch: OnBatch,
  read: (source: Source, onBatch: OnBatch) => Promise<FileReading>,
): Promise<FileReading> {
  let rows = 0;
  const reading = await read(countBytes(source, counts), (batch) => {
    rows += batch.rows;
    counts.addRows(batch.rows);
    return onBatch(batch);
  });
  // Batches have no rejected rows.
  counts.addRows(Math.max(0, reading.totalRows - rows));
  counts.addRejects(reading.rejectedRows);
  return reading;
}

async function* countBytes(source: Source, counts: IntakeCounts): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    counts.addBytes(chunk.length);
    yield chunk;
  }
}
