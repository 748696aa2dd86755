import { Readable } from 'node:stream';
import type { RowBatch } from '../../domain/row-batch.ts';
import type { FileReading, Intake, RejectedRow } from '../intake.ts';
import type { NaiveLayout, PlainReject } from './naive-reader.ts';
import { type PlainRow, plainRows } from './plain-rows.ts';

export interface WholeReading extends Omit<FileReading, 'sums'> {
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
    signal: new AbortController().signal,
  };
  const receiver = {
    onReject({ line, code, original }: RejectedRow) {
      rejects.push([line, code, Buffer.from(original).toString('latin1')]);
    },
    async onBatch(batch: RowBatch) {
      rows.push(...plainRows(batch));
      batch.release();
    },
  };
  const { sums: _, ...reading } =
    layout.kind === 'audience'
      ? await intake
          .openAudienceFile(source, options)
          .read({ ...receiver, labelNumber: numbering(labels, layout.labelLimit) })
      : await intake
          .openMarketplaceFile(source, {
            ...options,
            segmentNumbers: layout.segments,
            mode: layout.mode,
          })
          .read(receiver);
  return { ...reading, rows, rejects, labels };
}

function numbering(labels: string[], limit: number): (label: string) => number | undefined {
  return (label) => {
    const known = labels.indexOf(label);
    if (known !== -1) return known;
    return labels.length < limit ? labels.push(label) - 1 : undefined;
  };
}
