import type { ImportProblem } from '../../../../src/domain/import-problems.ts';

export type ProblemCode = ImportProblem['code'];

interface ProblemWords {
  /** What is wrong, short enough for a table. */
  readonly title: string;
  /** What it costs: a row, the label of a row, or all that was to be loaded. */
  readonly costs: 'row' | 'label' | 'file';
}

/** Every problem that files can have, in the words of somebody who has to mend them. */
export const problemWords: Readonly<Record<ProblemCode, ProblemWords>> = {
  malformed_id: { title: 'Not an advertising identifier', costs: 'row' },
  hashed_id: { title: 'Identifier is hashed', costs: 'row' },
  zeroed_id: { title: 'Identifier is all zeros: its owner opted out', costs: 'row' },
  unknown_key: { title: 'Key belongs to none of your attributes', costs: 'row' },
  no_keys: { title: 'Row names no attribute', costs: 'row' },
  bad_id_type: { title: 'Type of identifier is neither 1 nor 3', costs: 'row' },
  bad_operation: { title: 'Operation is neither 0 nor 1', costs: 'row' },
  bad_country: { title: 'Country is not a code of two letters', costs: 'row' },
  label_too_long: { title: 'Event label is too long', costs: 'label' },
  too_many_labels: { title: 'Audience has too many event labels', costs: 'label' },
  wrong_columns: { title: 'Line has the wrong number of columns', costs: 'file' },
  too_many_rejects: { title: 'Too many rows were rejected', costs: 'file' },
  not_compressed: { title: 'File is not compressed as was said', costs: 'file' },
  bad_compression: { title: 'Compressed file is damaged', costs: 'file' },
  bad_encoding: { title: 'File is not text in UTF-8', costs: 'file' },
  unclosed_quote: { title: 'Quote is not closed', costs: 'file' },
  line_too_long: { title: 'Line is too long', costs: 'file' },
  removal_in_replace: { title: 'Row removes, in an import that replaces', costs: 'file' },
  empty_file: { title: 'File has no rows', costs: 'file' },
  no_files: { title: 'There is no file at this path', costs: 'file' },
  access_denied: { title: 'Your bucket refused us', costs: 'file' },
  storage_unavailable: { title: 'Storage could not be used', costs: 'file' },
  worker_lost: { title: 'Loading broke off again and again', costs: 'file' },
};

/** Codes come over the wire as text; a newer service may know more of them than this page does. */
export function problemTitle(code: string): string {
  return isKnown(code) ? problemWords[code].title : capitalized(code.replaceAll('_', ' '));
}

/** What became of what is at fault: "3 rows dropped", say. */
export function problemCost(code: string, count: string, isOne: boolean): string {
  const costs = isKnown(code) ? problemWords[code].costs : 'file';
  if (costs === 'file') return 'Not loaded';
  const what = costs === 'row' ? 'dropped' : 'loaded without label';
  return `${count} ${isOne ? 'row' : 'rows'} ${what}`;
}

/** Whether it costs rows, which are then kept to be looked at. */
export function isRejection(code: string): boolean {
  return isKnown(code) && problemWords[code].costs === 'row';
}

/** Of several problems of one file, the one that failed it says most. */
export function foremost<T extends { readonly code: string }>(
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
