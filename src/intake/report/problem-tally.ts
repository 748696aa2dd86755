import { type FailureCode, type ImportProblem, shownValue } from '../../domain/import-problems.ts';

/** A problem's message for the partner and, if it has one, its position in the file. */
export interface Finding {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly value?: string | undefined;
}

/** One kind of problem: its first occurrence and its count. */
export interface ProblemKind {
  readonly code: ImportProblem['code'];
  readonly first: Finding;
  readonly count: number;
}

/** What failed a file. */
export interface Failure {
  readonly code: FailureCode;
  readonly finding: Finding;
}

export interface ProblemTally {
  /** Calls `describe` only for the first problem of its kind. */
  note(code: ImportProblem['code'], describe: () => Finding, count?: number): void;
  count(code: ImportProblem['code']): number;
  /** In order of first occurrence. */
  kinds(): ProblemKind[];
}

/** Counts problems by kind and keeps the first of each. */
export function createProblemTally(): ProblemTally {
  const kinds = new Map<ImportProblem['code'], { first: Finding; count: number }>();
  return {
    note(code, describe, count = 1) {
      const kind = kinds.get(code);
      if (kind) kind.count += count;
      else kinds.set(code, { first: describe(), count });
    },
    count: (code) => kinds.get(code)?.count ?? 0,
    kinds: () => Array.from(kinds, ([code, kind]) => ({ code, ...kind })),
  };
}

export function toImportProblem({ code, first, count }: ProblemKind, file: string): ImportProblem {
  return {
    code,
    message: first.message,
    file,
    line: first.line ?? null,
    column: first.column ?? null,
    value: first.value === undefined ? null : shownValue(first.value),
    count,
  };
}
