import type { IdentifierFault } from '../domain/device-id.ts';
import { shownValue } from '../domain/import-problems.ts';
import type { KeyFault } from './keys.ts';
import { type LineFault, maximumLineBytes } from './lines.ts';

// What a partner is told about each problem: what was wrong, and what to send instead.

export const identifierAdvice: Readonly<Record<IdentifierFault, string>> = {
  malformed_id:
    'The identifier is not an advertising identifier: send a UUID, 32 hex digits in groups of 8-4-4-4-12.',
  hashed_id:
    'The identifier is a hash, or a UUID without its dashes: send the identifier itself, not hashed, with dashes.',
  zeroed_id:
    'The identifier is all zeros, as phones report it whose owner opted out: leave such rows out.',
};

export function keyAdvice(fault: KeyFault): string {
  return fault.code === 'no_keys'
    ? 'The row names no attribute: send one key or more, separated by "|".'
    : `The key "${shownValue(fault.key)}" belongs to none of your attributes: create the attribute first, or correct the key. The row was dropped whole.`;
}

export const lineAdvice: Readonly<Record<LineFault, string>> = {
  bad_encoding: 'The line is not valid UTF-8: send the file as plain text in UTF-8.',
  line_too_long: `The line is longer than ${maximumLineBytes} bytes: end each line with a line feed, and spread a long list of keys over several rows.`,
};

export const quoteAdvice =
  'The cell begins with a quote that is not properly closed: close it on the same line, right before the next column, and write a quote inside it as two.';

export function columnsAdvice(found: number, expected: number): string {
  return `The line has ${found} ${found === 1 ? 'column' : 'columns'} and not ${expected}: send the identifier and its attribute keys, separated as in the first line.`;
}

export const emptyFileAdvice = 'The file has no data row: send at least one.';

export function rejectsAdvice(faultyRows: number, totalRows: number, limit: number): string {
  const percent = limit.toLocaleString('en', { style: 'percent', maximumSignificantDigits: 6 });
  return `${faultyRows} of ${totalRows} rows were rejected, where at most ${percent} may be: correct them and send the file again.`;
}
