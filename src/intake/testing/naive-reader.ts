import type { PlainRow } from './plain-rows.ts';

/** A reading for comparison: its problems lack file and message. */
export interface PlainReading {
  readonly outcome: 'read' | 'failed';
  readonly totalRows: number;
  readonly rejectedRows: number;
  readonly validRows: number;
  readonly rows: readonly PlainRow[];
  readonly rejects: readonly PlainReject[];
  readonly problems: readonly PlainProblem[];
}

interface PlainProblem {
  readonly code: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly value: string | null;
  count: number;
}

/** The line is decoded as Latin-1, so that each byte is a character. */
export type PlainReject = readonly [line: number, code: string, original: string];

export type NaiveLayout =
  | { readonly kind: 'audience'; readonly labelLimit: number }
  | {
      readonly kind: 'marketplace';
      readonly segments: ReadonlyMap<string, number>;
      readonly mode: 'merge' | 'replace';
    };

/**
 * The reference implementation for tests. It applies the same rules to the whole file as one string,
 * character by character, and shares no code with the intake.
 */
export function readNaively(
  file: Uint8Array,
  layout: NaiveLayout,
  rejectLimit: number,
): PlainReading {
  const rows: PlainRow[] = [];
  const rejects: PlainReject[] = [];
  const problems = new Map<string, PlainProblem>();
  const labels = new Map<string, number>();
  let columns = 0;
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
    return {
      outcome,
      totalRows: rows.length + rejects.length,
      rejectedRows: rejects.length,
      validRows: rows.length,
      rows,
      rejects,
      problems: [...problems.values()],
    };
  }
  function failed(...problem: Parameters<typeof note>): PlainReading {
    note(...problem);
    return ended('failed');
  }
  function labelNumbers(label: string, line: number): number[] {
    if (label === '') return [];
    if (Buffer.from(label).length > 256) {
      note('label_too_long', line, 2, label);
      return [];
    }
    const known = labels.get(label);
    if (known !== undefined) return [known];
    if (layout.kind === 'audience' && labels.size < layout.labelLimit) {
      labels.set(label, labels.size);
      return [labels.size - 1];
    }
    note('too_many_labels', line, 2, label);
    return [];
  }
  /** The row, or the code and column of its fault. */
  function rowOf(cells: readonly string[], line: number): PlainRow | [code: string, at: number] {
    const [id = '', second = ''] = cells;
    const fault = faultOf(id);
    if (fault) return [fault, 1];
    const device = id.toLowerCase().replace(/-/g, '');
    if (layout.kind === 'audience') return [device, '+', labelNumbers(second, line)];
    const isLong = cells.length === 5;
    if (isLong && second !== '1' && second !== '3') return ['bad_id_type', 2];
    if (isLong && !/^[A-Za-z][A-Za-z]$/.test(cells[2] ?? '')) return ['bad_country', 3];
    if (isLong && cells[3] !== '0' && cells[3] !== '1') return ['bad_operation', 4];
    const sign = isLong && cells[3] === '1' ? '-' : '+';
    if (sign === '-' && layout.mode === 'replace') return ['removal_in_replace', 4];
    const named = (cells.at(-1) ?? '').split('|').filter((key) => key !== '');
    const known = named.flatMap((key) => layout.segments.get(key) ?? []);
    if (known.length < named.length) return ['unknown_key', cells.length];
    if (known.length === 0 && (sign === '+' || cells.at(-1) !== ''))
      return ['no_keys', cells.length];
    return [device, sign, [...new Set(known)]];
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
    const widths = layout.kind === 'marketplace' ? [2, 5] : [2];
    if (isFirst && (broken !== null || !widths.includes(cells.length))) {
      const wrong = [';', '|'].find((separator) => looksSeparatedBy(text, separator));
      if (wrong) return failed('wrong_columns', line, null, wrong);
    }
    if (broken !== null) return failed('unclosed_quote', line, cells.length + 1, broken);
    if (isFirst) columns = layout.kind === 'marketplace' && cells.length >= 5 ? 5 : 2;
    if (cells.length < columns) return failed('wrong_columns', line, cells.length + 1);
    if (cells.length > columns) {
      return failed('wrong_columns', line, columns + 1, cells[columns]);
    }
    if (isFirst && headerShape.test(cells[0] ?? '')) continue;
    const row = rowOf(cells, line);
    if (row.length === 3) {
      rows.push(row);
      continue;
    }
    const [code, column] = row;
    if (code === 'removal_in_replace') return failed(code, line, column, cells[column - 1]);
    note(code, line, column, cells[column - 1]);
    rejects.push([line, code, encoded.slice(0, 1024)]);
  }
  if (rows.length + rejects.length === 0) return failed('empty_file', null);
  const faulty = rejects.length - (problems.get('zeroed_id')?.count ?? 0);
  const share = faulty / (rows.length + rejects.length);
  return share > rejectLimit ? failed('too_many_rejects', null) : ended('read');
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

function looksSeparatedBy(line: string, separator: string): boolean {
  const { cells, broken } = cellsOf(line, separator);
  const [first = ''] = cells;
  const isDevice = headerShape.test(first) || faultOf(first) !== 'malformed_id';
  return broken === null && cells.length > 1 && isDevice;
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
