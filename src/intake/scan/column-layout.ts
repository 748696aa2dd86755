import { columnsAdvice, quoteAdvice } from '../report/advice.ts';
import type { Failure } from '../report/problem-tally.ts';
import { detectDelimiter, splitCells } from './cells.ts';
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
  if (!Array.isArray(cells)) {
    return { code: 'unclosed_quote', finding: { message: quoteAdvice, ...cells } };
  }
  const choices = columnChoices[kind];
  const columns = cells.length;
  if (!choices.includes(columns)) return wrongColumns(cells, choices, kind);
  return { layout: { delimiter, columns }, isHeader: headerNames.has(cells[0]!.toLowerCase()) };
}

/** The cells of a line; a failure if they do not fit the layout. */
export function cellsOf(
  text: string,
  { delimiter, columns }: ColumnLayout,
  kind: RowKind['kind'],
): string[] | Failure {
  const cells = splitCells(text, delimiter);
  if (!Array.isArray(cells)) {
    return { code: 'unclosed_quote', finding: { message: quoteAdvice, ...cells } };
  }
  return cells.length === columns ? cells : wrongColumns(cells, [columns], kind);
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
