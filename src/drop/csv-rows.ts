import { ArchiveFault } from './archive-fault.ts';

/** No line of a list is nearly as long. */
const mostLineCharacters = 64 * 1024;
const mostQuotedCharacters = 1_000;

/**
 * The rows of a CSV file, in batches. Each row has the cells of the named columns, in that order, or is
 * null if it cannot be read. The description of DROP leaves the form open, so any byte order mark, line
 * ending, quoting and order of columns is read, and column names in any case.
 */
export async function* readCsvRows(
  name: string,
  content: AsyncIterable<Uint8Array>,
  columns: readonly string[],
): AsyncGenerator<(readonly string[] | null)[]> {
  let positions: readonly number[] | undefined;
  for await (const lines of readLines(name, content)) {
    const rows: (readonly string[] | null)[] = [];
    for (const line of lines) {
      if (line.trim() === '') continue;
      const cells = cellsOf(line);
      if (positions) rows.push(cells && pick(cells, positions));
      else positions = columnPositions(name, cells ?? [], columns);
    }
    if (rows.length > 0) yield rows;
  }
  if (!positions) throw new ArchiveFault(`${name} has no header`);
}

function columnPositions(
  name: string,
  header: readonly string[],
  columns: readonly string[],
): readonly number[] {
  const names = header.map((cell) => cell.trim().toLowerCase());
  const positions = columns.map((column) => names.indexOf(column.toLowerCase()));
  if (!positions.includes(-1)) return positions;
  throw new ArchiveFault(`${name} does not begin with the header ${columns.join(',')}`);
}

function pick(cells: readonly string[], positions: readonly number[]): readonly string[] | null {
  const picked: string[] = [];
  for (const position of positions) {
    const cell = cells[position];
    if (cell === undefined) return null;
    picked.push(cell.trim());
  }
  return picked;
}

/** With white space around them. Null if quotes are not closed, or if text follows a closing quote. */
function cellsOf(line: string): readonly string[] | null {
  if (!line.includes('"')) return line.split(',');
  // The pattern is slow for long texts, and no row with quotes is long.
  if (line.length > mostQuotedCharacters) return null;
  const cells: string[] = [];
  // Unquoted text takes the white space around it, so the pattern has one way to match.
  const cell = /(?:\s*"((?:[^"]|"")*)"\s*|([^",]*))(,|$)/y;
  for (;;) {
    const match = cell.exec(line);
    if (!match) return null;
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return cells;
  }
}

/** The lines of a text, in batches. A line ends with LF, CR LF or CR. */
async function* readLines(
  name: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const text of decode(name, content)) {
    rest += text;
    // A CR at the end may be the first half of a line ending.
    const end = lastLineEnd(rest.endsWith('\r') ? rest.slice(0, -1) : rest);
    if (rest.length - end > mostLineCharacters) {
      throw new ArchiveFault(`${name} has a line of more than ${mostLineCharacters} characters`);
    }
    if (end === 0) continue;
    yield rest.slice(0, end).split(/\r\n|\r|\n/);
    rest = rest.slice(end);
  }
  yield rest.split(/\r\n|\r|\n/);
}

function lastLineEnd(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
}

/** Text in UTF-8, or in UTF-16 if a byte order mark says so. */
async function* decode(name: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let head = Buffer.alloc(0);
  try {
    for await (const chunk of content) {
      if (decoder) {
        yield decoder.decode(chunk, { stream: true });
        continue;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length < 2) continue;
      decoder = new TextDecoder(encodingOf(head), { fatal: true });
      yield decoder.decode(head, { stream: true });
    }
    decoder ??= new TextDecoder('utf-8', { fatal: true });
    yield decoder.decode(head.length < 2 ? head : undefined);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ArchiveFault(`${name} is not text in UTF-8`, { cause: error });
  }
}

function encodingOf(head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
