import type { ImportProblem } from '../../../../src/domain/import-problems.ts';
import { counted } from '../../parts/format.ts';

export type ProblemCode = ImportProblem['code'];

interface ProblemWords {
  /** What is wrong, short enough for a table. */
  readonly title: string;
  /** What is lost: a row, a device, the label of a row, a line of the download, or the whole file. */
  readonly costs: 'row' | 'device' | 'label' | 'download' | 'file';
}

/** Every problem that a file can have, in words for the person who has to fix it. */
export const problemWords: Readonly<Record<ProblemCode, ProblemWords>> = {
  malformed_id: { title: 'Not an advertising identifier', costs: 'row' },
  hashed_id: { title: 'Identifier is hashed', costs: 'row' },
  zeroed_id: { title: 'Identifier is all zeros (opted out)', costs: 'row' },
  unknown_key: { title: 'Key belongs to none of your attributes', costs: 'row' },
  no_keys: { title: 'Row has no attribute key', costs: 'row' },
  bad_id_type: { title: 'Identifier type is not 1 or 3', costs: 'row' },
  bad_operation: { title: 'Operation is not 0 or 1', costs: 'row' },
  bad_country: { title: 'Country is not a two-letter code', costs: 'row' },
  label_too_long: { title: 'Event label is too long', costs: 'label' },
  too_many_labels: { title: 'Audience has too many event labels', costs: 'label' },
  suppressed_id: { title: 'Devices that must not be stored', costs: 'device' },
  rejects_left_out: { title: 'Rejected rows left out of the download', costs: 'download' },
  wrong_columns: { title: 'Line has the wrong number of columns', costs: 'file' },
  too_many_rejects: { title: 'Too many rows were rejected', costs: 'file' },
  not_compressed: { title: 'File is not compressed as declared', costs: 'file' },
  bad_compression: { title: 'Compressed file is damaged', costs: 'file' },
  bad_encoding: { title: 'File is not UTF-8 text', costs: 'file' },
  unclosed_quote: { title: 'Quote is not closed', costs: 'file' },
  line_too_long: { title: 'Line is too long', costs: 'file' },
  removal_in_replace: { title: 'Removal is not allowed in replace mode', costs: 'file' },
  empty_file: { title: 'File has no rows', costs: 'file' },
  no_files: { title: 'No file found at this path', costs: 'file' },
  file_changed: { title: 'Watched file was replaced or deleted', costs: 'file' },
  too_many_files: { title: 'Too many files at this path', costs: 'file' },
  wrong_region: { title: 'Your bucket is in another region', costs: 'file' },
  access_denied: { title: 'Access to your bucket was denied', costs: 'file' },
  storage_unavailable: { title: 'Storage unavailable', costs: 'file' },
  storage_full: { title: 'Storage of the service is full', costs: 'file' },
  worker_lost: { title: 'Worker stopped repeatedly', costs: 'file' },
  access_disabled: { title: 'Access was disabled', costs: 'file' },
  quota_exceeded: { title: 'Quota exceeded', costs: 'file' },
};

/** A newer service may send codes that this page does not know. */
export function problemTitle(code: string): string {
  return isKnown(code) ? problemWords[code].title : capitalized(code.replaceAll('_', ' '));
}

const rowCosts = { row: 'rejected', label: 'loaded without label', download: 'left out' };

/** What a problem cost, such as "3 rows rejected". */
export function problemCost(code: string, rows: number): string {
  const costs = isKnown(code) ? problemWords[code].costs : 'file';
  if (costs === 'file') return 'Not loaded';
  if (costs === 'device') return `${counted(rows, 'device', 'devices')} left out`;
  return `${counted(rows, 'row', 'rows')} ${rowCosts[costs]}`;
}

/** Whether the problem rejects rows, which can then be downloaded. */
export function isRejection(code: string): boolean {
  return isKnown(code) && problemWords[code].costs === 'row';
}

/** The most important of a file's problems: the one that made it fail, if any. */
export function mainProblem<T extends { readonly code: string }>(
  problems: readonly T[],
): T | undefined {
  const failure = problems.find(({ code }) => isKnown(code) && problemWords[code].costs === 'file');
  return failure ?? problems[0];
}

function isKnown(code: string): code is ProblemCode {
  return Object.hasOwn(problemWords, code);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
