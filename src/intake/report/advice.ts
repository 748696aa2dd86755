import type { IdentifierFault } from '../../domain/device-id.ts';
import { shownValue } from '../../domain/import-problems.ts';
import { type KeyFault, type LineFault, maximumLabelBytes, maximumLineBytes } from './faults.ts';

// The messages that partners read: what is wrong, then what to do.

export const identifierAdvice: Readonly<Record<IdentifierFault, string>> = {
  malformed_id:
    'The identifier is not a valid advertising identifier. Send a UUID: 32 hex digits in groups of 8-4-4-4-12.',
  hashed_id:
    'The identifier is a hash, or a UUID without dashes. Send the original identifier, unhashed and with dashes.',
  zeroed_id: 'The identifier is all zeros, meaning its owner opted out. Remove these rows.',
};

export const cellAdvice = {
  idType: 'The id_type is neither 1 nor 3. Send 1 for an IDFA or 3 for an AAID.',
  country: 'The country is not a two-letter code. Send its ISO 3166 code, for example DE.',
  operation: 'The operation is neither 0 nor 1. Send 0 to add the device or 1 to remove it.',
} as const;

export const removalAdvice =
  'The row removes a device, but the import uses mode "replace". Delete the row, because "replace" already removes every device that is not in the import; or import with mode "merge".';

export function keyAdvice(fault: KeyFault): string {
  return fault.code === 'no_keys'
    ? 'The row names no attribute. Send one or more attribute keys, separated by "|".'
    : `None of your attributes has the key "${shownValue(fault.key)}". Create the attribute, or correct the key. The whole row was rejected.`;
}

export const longLabelAdvice = `The label is longer than ${maximumLabelBytes} bytes. Shorten it. The device was loaded without this label.`;

export const manyLabelsAdvice =
  'The audience already has the maximum number of labels. Use fewer labels. The device was loaded without this label.';

export const lineAdvice: Readonly<Record<LineFault, string>> = {
  bad_encoding: 'The line is not valid UTF-8. Save the file as UTF-8 text and upload it again.',
  line_too_long: `The line is longer than ${maximumLineBytes} bytes. End each line with a line feed, and spread a long list of keys over several rows.`,
};

export const quoteAdvice =
  'The cell starts with a quote that is not closed correctly. Close it on the same line, directly before the next column. Write a quote inside the cell as two quotes.';

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
  return `The line has ${found} ${found === 1 ? 'column' : 'columns'} instead of ${choices.join(' or ')}. Send ${names}, with the separator of the first line.`;
}

export const separatorAdvice = {
  ';': 'This file looks semicolon-separated; use commas or tabs.',
  '|': 'This file looks pipe-separated; use commas or tabs.',
} as const;

export const emptyFileAdvice = 'The file has no data rows. Send at least one.';

/** Rounded up, so that a share just above the limit never looks equal to it. */
const percent = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumSignificantDigits: 3,
  roundingMode: 'ceil',
});

export function rejectsAdvice(faultyRows: number, totalRows: number, limit: number): string {
  const allowed = limit.toLocaleString('en', { style: 'percent', maximumSignificantDigits: 6 });
  const [faulty, total] = [faultyRows, totalRows].map((rows) => rows.toLocaleString('en'));
  return `${faulty} of ${total} rows (${percent.format(faultyRows / totalRows)}) were rejected; the limit is ${allowed}. Fix them and upload the file again.`;
}

export const compressionAdvice = {
  notGzip:
    'The request says "compressed": true, but the file is not gzip. Compress the file with gzip, or omit "compressed".',
  notPlain:
    'The request says "compressed": false, but the file is compressed. Omit "compressed", or send true for gzip.',
  damaged:
    'The compressed file is damaged or truncated. Compress it again, upload it and send the request again.',
  expanding:
    'The file expands to more than 1 GiB and to more than 100 times its compressed size. Split it into several files, or compress it less.',
} as const;
