import { type ImportProblem, shownValue } from '../domain/import-problems.ts';

/** Where a problem is, as far as it has a place, and what to tell the partner about it. */
export interface Finding {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly value?: string | undefined;
}

export interface ProblemTally {
  /** `describe` is only called for the first problem of its kind. */
  note(code: ImportProblem['code'], describe: () => Finding): void;
  /** One problem per kind, in order of first occurrence. */
  problems(): ImportProblem[];
}

/** Counts the problems of one file by kind, keeping the first of each. */
export function createProblemTally(file: string): ProblemTally {
  const kinds = new Map<ImportProblem['code'], { first: Finding; count: number }>();
  return {
    note(code, describe) {
      const kind = kinds.get(code);
      if (kind) kind.count++;
      else kinds.set(code, { first: describe(), count: 1 });
    },
    problems() {
      return Array.from(kinds, ([code, { first, count }]) => ({
        code,
        message: first.message,
        file,
        line: first.line ?? null,
        column: first.column ?? null,
        value: first.value === undefined ? null : shownValue(first.value),
        count,
      }));
    },
  };
}
