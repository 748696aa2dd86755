import type { Intake, OpenedFile } from '../intake/intake.ts';

/** Counts what is read while it is read, not only when a file has ended. */
export interface IntakeCounts {
  /** Stored, that is compressed, bytes. */
  addBytes(bytes: number): void;
  /** Including rejected rows. */
  addRows(rows: number): void;
  addRejects(rows: number): void;
}

type FileKind = 'import' | 'audience';

/** The same intake. What it reads is counted: bytes when they are read, rows at the turn of their file. */
export function countIntake(
  intake: Intake,
  counts: Readonly<Record<FileKind, IntakeCounts>>,
): Intake {
  return {
    ...intake,
    openMarketplaceFile: (source, options) =>
      countFile(
        counts.import,
        intake.openMarketplaceFile(countBytes(source, counts.import), options),
      ),
    openAudienceFile: (source, options) =>
      countFile(
        counts.audience,
        intake.openAudienceFile(countBytes(source, counts.audience), options),
      ),
  };
}

function countFile(counts: IntakeCounts, file: OpenedFile): OpenedFile {
  return {
    async read(receiver) {
      let rows = 0;
      const reading = await file.read({
        ...receiver,
        onBatch(batch) {
          rows += batch.rows;
          counts.addRows(batch.rows);
          return receiver.onBatch(batch);
        },
      });
      // Batches have no rejected rows.
      counts.addRows(Math.max(0, reading.totalRows - rows));
      counts.addRejects(reading.rejectedRows);
      return reading;
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

async function* countBytes(
  source: AsyncIterable<Uint8Array>,
  counts: IntakeCounts,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    counts.addBytes(chunk.length);
    yield chunk;
  }
}
