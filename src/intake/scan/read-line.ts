import { parseDeviceId } from '../../domain/device-id.ts';
import type { RejectCode } from '../../domain/import-problems.ts';
import {
  cellAdvice,
  identifierAdvice,
  keyAdvice,
  lineAdvice,
  removalAdvice,
} from '../report/advice.ts';
import type { Failure, Finding } from '../report/problem-tally.ts';
import { isBlank } from './cells.ts';
import { cellsOf, detectLayout } from './column-layout.ts';
import type { Line } from './decode-line.ts';
import { segmentOfKey } from './key-table.ts';
import { resolveKeys } from './resolve-keys.ts';
import type { ColumnLayout, MarketplaceRows, RowKind } from './scan-task.ts';

/** The result of reading a line. A row's device is written to the caller's buffer. */
export type LineReading =
  | { readonly is: 'nothing' }
  | { readonly is: 'labelled row'; readonly label: string }
  /** Each segment occurs once. A removal without segments removes the device from all of them. */
  | { readonly is: 'row'; readonly removal: boolean; readonly segments: readonly number[] }
  | { readonly is: 'rejected row'; readonly code: RejectCode; readonly finding: Finding }
  | { readonly is: 'failure'; readonly failure: Failure };

const nothing: LineReading = { is: 'nothing' };
const idTypes = new Set(['1', '3']);
const countryShape = /^[a-z]{2}$/i;
const operations = new Set(['0', '1']);

/** Reads a line of a file with a known layout. A row is rejected for its first fault. */
export function readLine(
  line: Line,
  layout: ColumnLayout,
  rowKind: RowKind,
  device: Uint8Array,
): LineReading {
  if ('fault' in line) return failure(line.fault, { message: lineAdvice[line.fault] });
  if (isBlank(line.text)) return nothing;
  const cells = cellsOf(line.text, layout, rowKind.kind);
  if (!Array.isArray(cells)) return { is: 'failure', failure: cells };
  const [identifier = '', label = ''] = cells;
  const fault = parseDeviceId(identifier, device);
  if (fault) return rejected(fault, identifierAdvice[fault], 1, identifier);
  return rowKind.kind === 'audience'
    ? { is: 'labelled row', label }
    : readMarketplaceRow(cells, rowKind);
}

/** Reads a line while the layout is unknown. The first line that is not blank determines it. */
export function readFirstLine(
  line: Line,
  rowKind: RowKind,
  device: Uint8Array,
): { readonly layout: ColumnLayout | null; readonly reading: LineReading } {
  if ('fault' in line) {
    const reading = failure(line.fault, { message: lineAdvice[line.fault] });
    return { layout: null, reading };
  }
  if (isBlank(line.text)) return { layout: null, reading: nothing };
  const first = detectLayout(line.text, rowKind.kind);
  if ('code' in first) return { layout: null, reading: { is: 'failure', failure: first } };
  const { layout, isHeader } = first;
  return { layout, reading: isHeader ? nothing : readLine(line, layout, rowKind, device) };
}

function readMarketplaceRow(cells: readonly string[], rowKind: MarketplaceRows): LineReading {
  let removal = false;
  if (cells.length > 2) {
    const [, idType = '', country = '', operation = ''] = cells;
    if (!idTypes.has(idType)) return rejected('bad_id_type', cellAdvice.idType, 2, idType);
    if (!countryShape.test(country)) return rejected('bad_country', cellAdvice.country, 3, country);
    if (!operations.has(operation)) {
      return rejected('bad_operation', cellAdvice.operation, 4, operation);
    }
    removal = operation === '1';
    if (removal && rowKind.mode === 'replace') {
      return failure('removal_in_replace', { message: removalAdvice, column: 4, value: operation });
    }
  }
  const keys = cells.at(-1) ?? '';
  const segments = resolveKeys(keys, (key) => segmentOfKey(rowKind.keys, key));
  if (Array.isArray(segments)) return { is: 'row', removal, segments };
  // Only an empty cell means all segments: a list of empty keys may be a mistake.
  if (removal && keys === '') return { is: 'row', removal, segments: [] };
  return rejected(segments.code, keyAdvice(segments), cells.length, keys);
}

function rejected(code: RejectCode, message: string, column: number, value: string): LineReading {
  return { is: 'rejected row', code, finding: { message, column, value } };
}

function failure(code: Failure['code'], finding: Finding): LineReading {
  return { is: 'failure', failure: { code, finding } };
}
