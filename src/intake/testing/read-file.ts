import { Readable } from 'node:stream';
import type { FileReading, Intake } from '../intake.ts';
import type { NaiveLayout, PlainReject } from './naive-reader.ts';
import { type PlainRow, plainRows } from './plain-rows.ts';

export interface WholeReading extends FileReading {
  readonly rows: readonly PlainRow[];
  readonly rejects: readonly PlainReject[];
  /** In the order in which their numbers were requested. */
  readonly labels: readonly string[];
}

export interface ReadOptions {
  readonly layout: NaiveLayout;
  readonly rejectLimit?: number;
  readonly compressed?: boolean | undefined;
  readonly compressedBytes?: number | undefined;
}

/** Reads a file, given in pieces, and collects all results. */
export async function readWhole(
  intake: Intake,
  pieces: readonly Uint8Array[],
  { layout, rejectLimit = 1, compressed, compressedBytes }: ReadOptions,
): Promise<WholeReading> {
  const rows: PlainRow[] = [];
  const rejects: PlainReject[] = [];
  const labels: string[] = [];
  const source = Readable.from(pieces);
  const options = {
    file: 'acme/devices.csv',
    compressed,
    compressedBytes,
    rejectLimit,
    onReject: ({ line, code, original }: Parameters<OnReject>[0]) => {
      rejects.push([line, code, Buffer.from(original).toString('latin1')]);
    },
    signal: new AbortController().signal,
  };
  const onBatch = async (batch: Parameters<typeof plainRows>[0]) => {
    rows.push(...plainRows(batch));
    batch.release();
  };
  const reading =
    layout.kind === 'audience'
      ? await intake.readAudienceFile(
          source,
          { ...options, labelNumber: numbering(labels, layout.labelLimit) },
          onBatch,
        )
      : await intake.readMarketplaceFile(
          source,
          { ...options, segmentNumbers: layout.segments, mode: layout.mode },
          onBatch,
        );
  return { ...reading, rows, rejects, labels };
}

type OnReject = NonNullable<Parameters<Intake['readAudienceFile']>[1]['onReject']>;

function numbering(labels: string[], limit: number): (label: string) => number | undefined {
  return (label) => {
    const known = labels.indexOf(label);
    if (known !== -1) return known;
    return labels.length < limit ? labels.push(label) - 1 : undefined;
  };
}
