/** A record of a CSV file and the line on which it begins. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvFault {
  readonly line: number;
  readonly message: string;
}

/**
 * Reads a small CSV file as in RFC 4180, with LF or CRLF and an optional byte order mark. Spaces
 * around a cell are trimmed and blank lines are skipped. Ends with the first fault.
 */
export function* readCsv(text: string): Generator<CsvRecord | CsvFault> {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  let cells: string[] = [];
  let firstLine = line;
  while (at <= text.length) {
    const cell = readCell(text, at);
    if (typeof cell === 'string') {
      yield { line: firstLine, message: cell };
      return;
    }
    cells.push(cell.value);
    line += cell.lineBreaks;
    at = cell.end + 1;
    if (text[cell.end] === ',') continue;
    if (cells.length > 1 || cells[0] !== '') yield { line: firstLine, cells };
    line += 1;
    cells = [];
    firstLine = line;
  }
}

interface Cell {
  readonly value: string;
  /** The position of the comma or line break after the cell, or the end of the text. */
  readonly end: number;
  readonly lineBreaks: number;
}

const blanks = /[ \t]*/y;
const plain = /[^,\n]*/y;

/** The cell at this position, or an error message. */
function readCell(text: string, start: number): Cell | string {
  const opening = matchEnd(blanks, text, start);
  if (text[opening] !== '"') {
    const end = matchEnd(plain, text, start);
    return { value: text.slice(start, end).trim(), end, lineBreaks: 0 };
  }
  const closing = closingQuote(text, opening + 1);
  if (closing === undefined) return 'has an unclosed quote';
  const rest = matchEnd(blanks, text, closing + 1);
  const end = text.startsWith('\r\n', rest) ? rest + 1 : rest;
  if (end < text.length && text[end] !== ',' && text[end] !== '\n') {
    return 'has text after a closing quote';
  }
  const quoted = text.slice(opening + 1, closing);
  return {
    value: quoted.replaceAll('""', '"').trim(),
    end,
    lineBreaks: quoted.split('\n').length - 1,
  };
}

/** Two quotes in a row are an escaped quote, so the first single quote closes the cell. */
function closingQuote(text: string, start: number): number | undefined {
  let quote = text.indexOf('"', start);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote < 0 ? undefined : quote;
}

function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  pattern.exec(text);
  return pattern.lastIndex;
}
