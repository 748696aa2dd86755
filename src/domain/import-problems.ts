import { limits } from './limits.ts';

/** Why a row is rejected. The rest of its file loads. */
export const rejectCodes = [
  'malformed_id',
  'hashed_id',
  'zeroed_id',
  'unknown_key',
  'no_keys',
  'bad_id_type',
  'bad_operation',
  'bad_country',
] as const;
export type RejectCode = (typeof rejectCodes)[number];

/** Why a row is loaded without its label. */
export const labelCodes = ['label_too_long', 'too_many_labels'] as const;
type LabelCode = (typeof labelCodes)[number];

/** What a report, or a load, leaves out. */
export const noticeCodes = ['rejects_left_out', 'suppressed_id'] as const;
type NoticeCode = (typeof noticeCodes)[number];

/** Why a file fails, and with it an import. */
export const failureCodes = [
  'wrong_columns',
  'too_many_rejects',
  'not_compressed',
  'bad_compression',
  'bad_encoding',
  'unclosed_quote',
  'line_too_long',
  'removal_in_replace',
  'empty_file',
  'no_files',
  'file_changed',
  'too_many_files',
  'wrong_region',
  'access_denied',
  'storage_unavailable',
  'storage_full',
  'worker_lost',
  'access_disabled',
  'quota_exceeded',
] as const;
export type FailureCode = (typeof failureCodes)[number];

/** One kind of problem in one file: its first occurrence, and how often it occurred. */
export interface ImportProblem {
  readonly code: RejectCode | LabelCode | NoticeCode | FailureCode;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly value: string | null;
  readonly count: number;
}

const keptProblems = limits.problemsPerLog.most;

/**
 * The problems that a log shows, in the order of every list: first what made it fail, then the first kinds
 * in file order, a hundred in total. A notice is always included.
 */
export function keepFirst(problems: readonly ImportProblem[]): ImportProblem[] {
  const failures = problems.filter(isFailure);
  const others = problems.filter((problem) => !isFailure(problem));
  const room = keptProblems - failures.length;
  const notices = others.slice(room).filter(isNotice);
  return [...failures, ...others.slice(0, room - notices.length), ...notices];
}

/** The code of the problem that made an import or a file fail, if one did. */
export function failureCodeOf(problems: readonly ImportProblem[]): FailureCode | undefined {
  const codes = problems.map(({ code }) => failureCodes.find((failure) => failure === code));
  return codes.find((code) => code !== undefined);
}

function isFailure(problem: ImportProblem): boolean {
  return failureCodeOf([problem]) !== undefined;
}

function isNotice({ code }: ImportProblem): boolean {
  return noticeCodes.some((notice) => notice === code);
}

/** Adds a notice of rejected rows that cannot be downloaded, if any. */
export function noticeLeftOut(
  problems: readonly ImportProblem[],
  leftOut: number,
  file: string | null,
): readonly ImportProblem[] {
  if (leftOut === 0) return problems;
  const notice = {
    code: 'rejects_left_out',
    message:
      'These rejected rows are counted, but left out of the download. There are more than are kept, or their identifiers must not be stored.',
    file,
    line: null,
    column: null,
    value: null,
    count: leftOut,
  } as const;
  return [...problems, notice];
}

/** Adds a notice of devices that must not be stored, if any. `file` is the file or the path they are in. */
export function noticeSuppressed(
  problems: readonly ImportProblem[],
  devices: number,
  file: string,
): readonly ImportProblem[] {
  if (devices === 0) return problems;
  const notice = {
    code: 'suppressed_id',
    message:
      'These devices must not be stored, because their owners asked for deletion or opted out. They were left out, and everything else was loaded.',
    file,
    line: null,
    column: null,
    value: null,
    count: devices,
  } as const;
  return [...problems, notice];
}

/**
 * A faulty cell as shown in a log: cut without splitting a character, and with NUL replaced, because
 * PostgreSQL cannot store it in text.
 */
export function shownValue(cell: string): string {
  return Array.from(cell)
    .slice(0, limits.problemValueCharacters.most)
    .join('')
    .replaceAll('\0', '\ufffd');
}

/** A problem of the whole import, without a position in a file. */
export function wholeImportProblem(code: FailureCode, message: string): ImportProblem {
  return { code, message, file: null, line: null, column: null, value: null, count: 1 };
}
