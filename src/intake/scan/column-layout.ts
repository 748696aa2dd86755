import { deviceBytes, parseDeviceId } from '../../domain/device-id.ts';
import { columnsAdvice, quoteAdvice, separatorAdvice } from '../report/advice.ts';
import type { Failure } from '../report/problem-tally.ts';
import { type BrokenQuote, detectDelimiter, splitCells, type WrongDelimiter } from './cells.ts';
import type { ColumnLayout, RowKind } from './scan-task.ts';

const headerNames = new Set(
  'id device_id deviceid maid ifa idfa aaid gaid advertising_id ad_id'.split(' '),
);

/** The column counts that the first line may have. */
const columnChoices: Readonly<Record<RowKind['kind'], readonly number[]>> = {
  audience: [2],
  marketplace: [2, 5],
};

export interface FirstLine {
  readonly layout: ColumnLayout;
  readonly isHeader: boolean;
}

/** Detects the layout from the first line that is not blank. */
export function detectLayout(text: string, kind: RowKind['kind']): FirstLine | Failure {
  const delimiter = detectDelimiter(text);
  const cells = splitCells(text, delimiter);
  const choices = columnChoices[kind];
  const isLayout = Array.isArray(cells) && choices.includes(cells.length);
  if (isLayout) {
    return { layout: { delimiter, columns: cells.length }, isHeader: isHeaderName(cells[0]!) };
  }
  const separator = wrongSeparators.find((each) => isSeparatedBy(text, each));
  if (separator) {
    const finding = { message: separatorAdvice[separator], value: separator };
    return { code: 'wrong_columns', finding };
  }
  return Array.isArray(cells) ? wrongColumns(cells, choices, kind) : brokenQuote(cells);
}

const wrongSeparators: readonly WrongDelimiter[] = [';', '|'];

/** Whether this separator gives several columns, of which the first is a device or its heading. */
function isSeparatedBy(text: string, separator: WrongDelimiter): boolean {
  const cells = splitCells(text, separator);
  if (!Array.isArray(cells) || cells.length === 1) return false;
  const [first = ''] = cells;
  const fault = parseDeviceId(first, new Uint8Array(deviceBytes));
  return isHeaderName(first) || fault !== 'malformed_id';
}

function isHeaderName(cell: string): boolean {
  return headerNames.has(cell.toLowerCase());
}

/** The cells of a line; a failure if they do not fit the layout. */
export function cellsOf(
  text: string,
  { delimiter, columns }: ColumnLayout,
  kind: RowKind['kind'],
): string[] | Failure {
  const cells = splitCells(text, delimiter);
  if (!Array.isArray(cells)) return brokenQuote(cells);
  return cells.length === columns ? cells : wrongColumns(cells, [columns], kind);
}

function brokenQuote(cell: BrokenQuote): Failure {
  return { code: 'unclosed_quote', finding: { message: quoteAdvice, ...cell } };
}

/** Points at the first surplus or missing cell. */
function wrongColumns(
  cells: readonly string[],
  choices: readonly number[],
  kind: RowKind['kind'],
): Failure {
  // Assumes the largest layout that the line exceeds.
  const assumed = choices.findLast((columns) => columns < cells.length) ?? choices[0]!;
  const column = Math.min(cells.length, assumed) + 1;
  return {
    code: 'wrong_columns',
    finding: {
      message: columnsAdvice(cells.length, choices, kind),
      column,
      value: cells[column - 1],
    },
  };
}
