import { columnsAdvice, quoteAdvice } from '../report/advice.ts';
import type { Failure } from '../report/problem-tally.ts';
import { detectDelimiter, splitCells } from './cells.ts';
import type { ColumnLayout, RowKind } from './scan-task.ts';

const headerNames = new Set(
  'id device_id deviceid maid ifa idfa aaid gaid advertising_id ad_id'.split(' '),
);

/** How many columns the first line may have, by what the file's rows are. */
const columnChoices: Readonly<Record<RowKind['kind'], readonly number[]>> = {
  audience: [2],
  marketplace: [2, 5],
};

export interface FirstLine {
  readonly layout: ColumnLayout;
  readonly isHeader: boolean;
}

/** What the first line of a file that is not blank settles. */
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

/** The cells of any line, held to the layout. */
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

/** Points at the first cell that is one too many, or at the first that is missing. */
function wrongColumns(
  cells: readonly string[],
  choices: readonly number[],
  kind: RowKind['kind'],
): Failure {
  // Of two layouts, the line was meant to have the one that it did not overshoot by more.
  const meant = choices.findLast((columns) => columns < cells.length) ?? choices[0]!;
  const column = Math.min(cells.length, meant) + 1;
  return {
    code: 'wrong_columns',
    finding: {
      message: columnsAdvice(cells.length, choices, kind),
      column,
      value: cells[column - 1],
    },
  };
}
