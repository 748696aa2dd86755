export type Delimiter = ',' | '\t';

/** Separators that files must not use, and people use nonetheless. */
export type WrongDelimiter = ';' | '|';

/** A cell whose quoting makes the rest of its line unreadable. `column` starts at 1. */
export interface BrokenQuote {
  readonly column: number;
  readonly value: string;
}

/** Blanks are spaces and tabs, also in a tab-separated file. */
export function isBlank(line: string): boolean {
  return skipBlanks(line, 0, ',') === line.length;
}

/** The comma or tab that ends the first cell of a file's first line; comma if there is neither. */
export function detectDelimiter(firstLine: string): Delimiter {
  const start = skipBlanks(firstLine, 0, '\t');
  const from = firstLine[start] === '"' ? closingQuote(firstLine, start) : start;
  if (from === -1) return ',';
  const comma = firstLine.indexOf(',', from);
  const tab = firstLine.indexOf('\t', from);
  return tab !== -1 && (comma === -1 || tab < comma) ? '\t' : ',';
}

/**
 * Splits a line by RFC 4180, but without line breaks inside quotes. Blanks around a cell are dropped;
 * blanks inside its quotes are kept. A quote within an unquoted cell is an ordinary character. Text
 * after a closing quote (`"a"x`) is an error, because a guess could produce another existing key.
 */
export function splitCells(
  line: string,
  delimiter: Delimiter | WrongDelimiter,
): string[] | BrokenQuote {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const start = skipBlanks(line, at, delimiter);
    let end: number;
    if (line[start] === '"') {
      const close = closingQuote(line, start);
      end = close === -1 ? -1 : skipBlanks(line, close + 1, delimiter);
      if (end === -1 || (end < line.length && line[end] !== delimiter)) {
        return { column: cells.length + 1, value: line.slice(start) };
      }
      cells.push(line.slice(start + 1, close).replaceAll('""', '"'));
    } else {
      const next = line.indexOf(delimiter, start);
      end = next === -1 ? line.length : next;
      cells.push(line.slice(start, endWithoutBlanks(line, start, end)));
    }
    if (end === line.length) return cells;
    at = end + 1;
  }
}

/** The index of the closing quote, or -1. A doubled quote does not close. */
function closingQuote(line: string, open: number): number {
  let at = open + 1;
  for (;;) {
    const quote = line.indexOf('"', at);
    if (quote === -1 || line[quote + 1] !== '"') return quote;
    at = quote + 2;
  }
}

/** The end of the blanks at `at`. A tab that separates cells is not a blank. */
function skipBlanks(line: string, at: number, delimiter: Delimiter | WrongDelimiter): number {
  let end = at;
  while (line[end] === ' ' || (line[end] === '\t' && delimiter !== '\t')) end++;
  return end;
}

function endWithoutBlanks(line: string, start: number, end: number): number {
  let kept = end;
  while (kept > start && (line[kept - 1] === ' ' || line[kept - 1] === '\t')) kept--;
  return kept;
}
