/** A record of a CSV file, and the line that it begins on. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvFault {
  readonly line: number;
  readonly message: string;
}

/**
 * Reads a small CSV file, of RFC 4180's form: LF or CRLF, a byte order mark or none, cells in quotes
 * with commas and line breaks inside. Blanks around a cell are dropped, and blank lines passed over.
 */
export function readCsv(text: string): readonly CsvRecord[] | CsvFault {
  const records: CsvRecord[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  let cells: string[] = [];
  let begunOn = line;
  while (at <= text.length) {
    const cell = readCell(text, at);
    if (typeof cell === 'string') return { line: begunOn, message: cell };
    cells.push(cell.value);
    line += cell.lineBreaks;
    at = cell.end + 1;
    if (text[cell.end] === ',') continue;
    if (cells.length > 1 || cells[0] !== '') records.push({ line: begunOn, cells });
    line += 1;
    cells = [];
    begunOn = line;
  }
  return records;
}

interface Cell {
  readonly value: string;
  /** Where the comma or the line break after it stands, or the end of the text. */
  readonly end: number;
  readonly lineBreaks: number;
}

const blanks = /[ \t]*/y;
const plain = /[^,\n]*/y;

/** The cell that begins there, or what is wrong with it. */
function readCell(text: string, start: number): Cell | string {
  const opening = matchEnd(blanks, text, start);
  if (text[opening] !== '"') {
    const end = matchEnd(plain, text, start);
    return { value: text.slice(start, end).trim(), end, lineBreaks: 0 };
  }
  const closing = closingQuote(text, opening + 1);
  if (closing === undefined) return 'has a quote that is not closed';
  const rest = matchEnd(blanks, text, closing + 1);
  const end = text.startsWith('\r\n', rest) ? rest + 1 : rest;
  if (end < text.length && text[end] !== ',' && text[end] !== '\n') {
    return 'has something behind a closing quote';
  }
  const quoted = text.slice(opening + 1, closing);
  return {
    value: quoted.replaceAll('""', '"').trim(),
    end,
    lineBreaks: quoted.split('\n').length - 1,
  };
}

/** Two quotes are one within the cell, so the closing one is the first that stands alone. */
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
