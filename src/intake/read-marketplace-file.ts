import { deviceBytes, parseDeviceId } from '../domain/device-id.ts';
import type { FailureCode, ImportProblem, RejectCode } from '../domain/import-problems.ts';
import {
  columnsAdvice,
  emptyFileAdvice,
  identifierAdvice,
  keyAdvice,
  lineAdvice,
  quoteAdvice,
  rejectsAdvice,
} from './advice.ts';
import { type Delimiter, detectDelimiter, isBlank, splitCells } from './cells.ts';
import { resolveKeys, type SegmentOf } from './keys.ts';
import { type Line, readLines } from './lines.ts';
import { createProblemTally, type Finding } from './problem-tally.ts';

export interface MarketplaceFileOptions {
  /** How problems name the file. */
  readonly file: string;
  /** The segment that a key stands for, by its exact characters. */
  readonly segmentOf: SegmentOf;
  /** The share of the file's rows, from 0 to 1, above which rejected ones fail it. */
  readonly rejectLimit: number;
}

export interface FileReading {
  /** Of a failed file nothing is to be used, the rows already handed over included. */
  readonly outcome: 'read' | 'failed';
  /** Data rows read, rejected ones included. The line that fails a file is not a row of it. */
  readonly totalRows: number;
  readonly rejectedRows: number;
  /** One per kind, in order of first occurrence; what failed the file is therefore the last. */
  readonly problems: readonly ImportProblem[];
}

/** Takes an accepted row: the device, in a buffer that the next row overwrites, and its segments, each once. */
export type OnRow = (device: Uint8Array, segmentIds: readonly number[]) => void;

const columnCount = 2;
const headerNames = new Set(
  'id device_id deviceid maid ifa idfa aaid gaid advertising_id ad_id'.split(' '),
);

/**
 * Reads a marketplace file in its short form, `id,attribute_ids`, handing over each accepted row
 * as it goes. What it holds in memory does not grow with the file.
 */
export async function readMarketplaceFile(
  source: AsyncIterable<Uint8Array>,
  options: MarketplaceFileOptions,
  onRow: OnRow,
): Promise<FileReading> {
  const tally = createProblemTally(options.file);
  const device = new Uint8Array(deviceBytes);
  let delimiter: Delimiter | undefined;
  let totalRows = 0;
  let rejectedRows = 0;
  let optedOutRows = 0;

  function reject(code: RejectCode, describe: () => Finding): void {
    rejectedRows++;
    if (code === 'zeroed_id') optedOutRows++;
    tally.note(code, describe);
  }

  function readRow(identifier: string, keys: string, line: number): void {
    totalRows++;
    const fault = parseDeviceId(identifier, device);
    if (fault !== null) {
      const message = identifierAdvice[fault];
      reject(fault, () => ({ message, line, column: 1, value: identifier }));
      return;
    }
    const segmentIds = resolveKeys(keys, options.segmentOf);
    if (Array.isArray(segmentIds)) {
      onRow(device, segmentIds);
    } else {
      reject(segmentIds.code, () => ({
        message: keyAdvice(segmentIds),
        line,
        column: 2,
        value: keys,
      }));
    }
  }

  function ended(outcome: FileReading['outcome']): FileReading {
    return { outcome, totalRows, rejectedRows, problems: tally.problems() };
  }

  function failed(code: FailureCode, finding: Finding): FileReading {
    tally.note(code, () => finding);
    return ended('failed');
  }

  /** Answers only where the line fails the file, and with it the reading. */
  function readLine(read: Line): FileReading | undefined {
    const line = read.number;
    if ('fault' in read) return failed(read.fault, { message: lineAdvice[read.fault], line });
    if (isBlank(read.text)) return undefined;
    const isFirst = delimiter === undefined;
    delimiter ??= detectDelimiter(read.text);
    const cells = splitCells(read.text, delimiter);
    if (!Array.isArray(cells)) {
      return failed('unclosed_quote', { message: quoteAdvice, line, ...cells });
    }
    const [identifier, keys] = cells;
    if (identifier === undefined || keys === undefined || cells.length !== columnCount) {
      return failed('wrong_columns', { line, ...wrongColumns(cells) });
    }
    if (!isFirst || !headerNames.has(identifier.toLowerCase())) readRow(identifier, keys, line);
    return undefined;
  }

  for await (const lines of readLines(source)) {
    for (const line of lines) {
      const failure = readLine(line);
      if (failure) return failure;
    }
  }
  if (totalRows === 0) return failed('empty_file', { message: emptyFileAdvice });
  // Opted-out phones are rows like any other, but no faults of the file. A quotient, not a product:
  // 0.29 * 100 comes out below 29, while 29 / 100 is the same double as 0.29.
  const faultyRows = rejectedRows - optedOutRows;
  if (faultyRows / totalRows > options.rejectLimit) {
    const message = rejectsAdvice(faultyRows, totalRows, options.rejectLimit);
    return failed('too_many_rejects', { message });
  }
  return ended('read');
}

/** Points at the first cell that is one too many, or at the first that is missing. */
function wrongColumns(cells: readonly string[]): Finding {
  const column = Math.min(cells.length, columnCount) + 1;
  return {
    message: columnsAdvice(cells.length, columnCount),
    column,
    value: cells[column - 1],
  };
}
