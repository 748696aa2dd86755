import type { IdentifierFault } from '../../domain/device-id.ts';
import { shownValue } from '../../domain/import-problems.ts';
import { type KeyFault, type LineFault, maximumLabelBytes, maximumLineBytes } from './faults.ts';

// What a partner is told about each problem: what was wrong, and what to send instead.

export const identifierAdvice: Readonly<Record<IdentifierFault, string>> = {
  malformed_id:
    'The identifier is not an advertising identifier: send a UUID, 32 hex digits in groups of 8-4-4-4-12.',
  hashed_id:
    'The identifier is a hash, or a UUID without its dashes: send the identifier itself, not hashed, with dashes.',
  zeroed_id:
    'The identifier is all zeros, as phones report it whose owner opted out: leave such rows out.',
};

export const cellAdvice = {
  idType: 'The id_type is neither 1 nor 3: send 1 for an IDFA or 3 for an AAID.',
  country: 'The country is not two letters: send its ISO 3166 code, such as DE.',
  operation: 'The operation is neither 0 nor 1: send 0 to add the device or 1 to remove it.',
} as const;

export const removalAdvice =
  'The row removes a device, in an import that replaces: leave it out, for every device that is not in the import is removed anyway; or import with mode "merge".';

export function keyAdvice(fault: KeyFault): string {
  return fault.code === 'no_keys'
    ? 'The row names no attribute: send one key or more, separated by "|".'
    : `The key "${shownValue(fault.key)}" belongs to none of your attributes: create the attribute first, or correct the key. The row was dropped whole.`;
}

export const longLabelAdvice = `The label is longer than ${maximumLabelBytes} bytes: shorten it. The device was loaded without it.`;

export const manyLabelsAdvice =
  'The audience has as many different labels as it may have, and this would be one more: use fewer. The device was loaded without it.';

export const lineAdvice: Readonly<Record<LineFault, string>> = {
  bad_encoding: 'The line is not valid UTF-8: send the file as plain text in UTF-8.',
  line_too_long: `The line is longer than ${maximumLineBytes} bytes: end each line with a line feed, and spread a long list of keys over several rows.`,
};

export const quoteAdvice =
  'The cell begins with a quote that is not properly closed: close it on the same line, right before the next column, and write a quote inside it as two.';

type FileKind = 'audience' | 'marketplace';

const columnNames: Readonly<Record<FileKind, Readonly<Record<number, string>>>> = {
  audience: { 2: 'the identifier and its label' },
  marketplace: {
    2: 'the identifier and its attribute keys',
    5: 'id, id_type, country, operation and attribute_ids',
  },
};

export function columnsAdvice(found: number, choices: readonly number[], kind: FileKind): string {
  const names = choices.map((columns) => columnNames[kind][columns]).join(', or ');
  return `The line has ${found} ${found === 1 ? 'column' : 'columns'} and not ${choices.join(' or ')}: send ${names}, separated as in the first line.`;
}

export const emptyFileAdvice = 'The file has no data row: send at least one.';

export function rejectsAdvice(faultyRows: number, totalRows: number, limit: number): string {
  const percent = limit.toLocaleString('en', { style: 'percent', maximumSignificantDigits: 6 });
  return `${faultyRows} of ${totalRows} rows were rejected, where at most ${percent} may be: correct them and send the file again.`;
}

export const compressionAdvice = {
  notGzip:
    'The file is not gzip, as "compressed": true says: compress it with gzip, or leave "compressed" out.',
  notPlain:
    'The file is compressed, where "compressed": false says that it is not: send true, or leave "compressed" out.',
  damaged:
    'The compressed file is damaged or cut short: compress it again, upload it and send the same request.',
  expanding:
    'The file expands to more than a hundred times its size, and to more than 1 GiB: send it in parts, or less compressed.',
} as const;
