/** A reading as it is compared: the rows in hex, the problems without file and message. */
export interface PlainReading {
  readonly outcome: 'read' | 'failed';
  readonly totalRows: number;
  readonly rejectedRows: number;
  readonly rows: (readonly [device: string, segmentIds: readonly number[]])[];
  readonly problems: readonly PlainProblem[];
}

interface PlainProblem {
  readonly code: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly value: string | null;
  count: number;
}

/**
 * What tests hold the reader of marketplace files against: the same rules over the whole file as
 * one string and each line character by character, sharing no code with it.
 */
export function readNaively(
  file: Uint8Array,
  segments: ReadonlyMap<string, number>,
  rejectLimit: number,
): PlainReading {
  const rows: PlainReading['rows'] = [];
  const problems = new Map<string, PlainProblem>();
  let totalRows = 0;
  let delimiter = '';

  function note(
    code: string,
    line: number | null,
    column: number | null = null,
    cell: string | null = null,
  ): void {
    const value = cell && [...cell.replace(/\0/g, '\ufffd')].slice(0, 256).join('');
    const first = problems.get(code) ?? { code, line, column, value, count: 0 };
    first.count++;
    problems.set(code, first);
  }
  function ended(outcome: PlainReading['outcome']): PlainReading {
    const rejectedRows = totalRows - rows.length;
    return { outcome, totalRows, rejectedRows, rows, problems: [...problems.values()] };
  }
  function failed(...problem: Parameters<typeof note>): PlainReading {
    note(...problem);
    return ended('failed');
  }

  const content = Buffer.from(file).toString('latin1');
  const lines = content.replace(/^\xef\xbb\xbf/, '').split('\n');
  for (const [index, bytes] of lines.entries()) {
    const line = index + 1;
    const encoded = bytes.replace(/\r$/, '');
    if (encoded.length > 65_536) return failed('line_too_long', line);
    const text = decode(encoded);
    if (text === null) return failed('bad_encoding', line);
    if (/^[ \t]*$/.test(text)) continue;
    const isFirst = delimiter === '';
    if (isFirst) delimiter = firstSeparator(text);
    const { cells, broken } = cellsOf(text, delimiter);
    if (broken !== null) return failed('unclosed_quote', line, cells.length + 1, broken);
    if (cells.length === 1) return failed('wrong_columns', line, 2);
    if (cells.length > 2) return failed('wrong_columns', line, 3, cells[2]);
    const [id = '', keys = ''] = cells;
    if (isFirst && headerShape.test(id)) continue;
    totalRows++;
    const fault = faultOf(id);
    const named = keys.split('|').filter((key) => key !== '');
    const known = named.flatMap((key) => segments.get(key) ?? []);
    if (fault) note(fault, line, 1, id);
    else if (known.length < named.length) note('unknown_key', line, 2, keys);
    else if (known.length === 0) note('no_keys', line, 2, keys);
    else rows.push([id.toLowerCase().replace(/-/g, ''), [...new Set(known)]]);
  }
  if (totalRows === 0) return failed('empty_file', null);
  const faulty = totalRows - rows.length - (problems.get('zeroed_id')?.count ?? 0);
  return faulty / totalRows > rejectLimit ? failed('too_many_rejects', null) : ended('read');
}

const headerShape = /^(id|device_?id|maid|ifa|idfa|aaid|gaid|advertising_id|ad_id)$/i;

function decode(latin1: string): string | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return null;
  }
}

function faultOf(id: string): string | null {
  if (/^[0-9a-fA-F]+$/.test(id) && [32, 40, 64].includes(id.length)) return 'hashed_id';
  const groups = id.split('-');
  const lengths = groups.map((group) => (/^[0-9a-fA-F]+$/.test(group) ? group.length : 0));
  if (lengths.join() !== '8,4,4,4,12') return 'malformed_id';
  return /[^0-]/.test(id) ? null : 'zeroed_id';
}

function firstSeparator(line: string): string {
  const isQuoted = /^ *"/.test(line);
  let inside = false;
  for (const character of line) {
    if (isQuoted && character === '"') inside = !inside;
    else if (!inside && /[,\t]/.test(character)) return character;
  }
  return ',';
}

function cellsOf(line: string, delimiter: string): { cells: string[]; broken: string | null } {
  const cells: string[] = [];
  let state: 'before' | 'plain' | 'quoted' | 'quote in quoted' | 'after' = 'before';
  let cell = '';
  let opened = 0;
  for (let at = 0; at <= line.length; at++) {
    const character = line.charAt(at);
    const endsCell = at === line.length || (character === delimiter && state !== 'quoted');
    if (endsCell && state !== 'quoted') {
      cells.push(state === 'plain' ? cell.replace(/[ \t]*$/, '') : cell);
      cell = '';
      state = 'before';
    } else if (state === 'quoted' && !endsCell) {
      if (character === '"') state = 'quote in quoted';
      else cell += character;
    } else if (state === 'quote in quoted' && character === '"') {
      cell += '"';
      state = 'quoted';
    } else if (state === 'before' && character === '"') {
      state = 'quoted';
      opened = at;
    } else if (state === 'plain' || (state === 'before' && /[^ \t]/.test(character))) {
      state = 'plain';
      cell += character;
    } else if (state !== 'before') {
      if (!/[ \t]/.test(character)) return { cells, broken: line.slice(opened) };
      state = 'after';
    }
  }
  return { cells, broken: null };
}
