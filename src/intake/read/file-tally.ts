import type { ImportProblem, RejectCode } from '../../domain/import-problems.ts';
import { limits } from '../../domain/limits.ts';
import { leftOut } from '../../domain/row-batch.ts';
import { emptyFileAdvice, manyLabelsAdvice, rejectsAdvice } from '../report/advice.ts';
import {
  createProblemTally,
  type Failure,
  type ProblemKind,
  toImportProblem,
} from '../report/problem-tally.ts';
import type { ChunkLabels } from '../scan/label-dictionary.ts';
import type { ScannedChunk } from '../scan/scan-task.ts';

export interface TallyOptions {
  /** The file's name in problems. */
  readonly file: string;
  /** The share of rejected rows, from 0 to 1, above which the file fails. */
  readonly rejectLimit: number;
  /** Called for the first 10,000 rejected rows, in order. */
  readonly onReject?: ((reject: RejectedRow) => void) | undefined;
  /** Not needed if no row has a label. */
  readonly labelNumber?: LabelNumber | undefined;
}

export interface RejectedRow {
  /** Starts at 1 and counts blank lines. */
  readonly line: number;
  readonly code: RejectCode;
  /** The line's bytes without its ending, cut at 1 KiB. */
  readonly original: Uint8Array;
}

/** The number of a label, or undefined to leave it out. Returns the same for the same label. */
export type LabelNumber = (label: string) => number | undefined;

export interface FileSummary {
  /** If the file failed, all its rows must be discarded, including those already handed over. */
  readonly outcome: 'read' | 'failed';
  /** Data rows, including rejected ones. The line that fails a file does not count. */
  readonly totalRows: number;
  readonly rejectedRows: number;
  readonly validRows: number;
  /** One per kind, in order of first occurrence. The problem that failed the file is the last. */
  readonly problems: readonly ImportProblem[];
}

/** A label that some lines have. */
export interface LabelSum {
  readonly label: string;
  /** The first of these lines. */
  readonly line: number;
  /** How many rows have it. */
  readonly count: number;
}

/** What some lines of a file add to its sums. Line numbers start at 1 within these lines. */
export interface LineSums
  extends Pick<ScannedChunk, 'lines' | 'rows' | 'rejectedRows' | 'problems' | 'failure'> {
  /** The labels that have a number, in order of first occurrence. */
  readonly labelSums?: readonly LabelSum[];
}

/** Sums up the lines of a file, which must be added in order. */
export interface FileTally {
  /** `input` has the lines of the chunk. It is not needed if no row was rejected. */
  add(chunk: ScannedChunk, input: SharedArrayBuffer | undefined): void;
  /** Adds lines whose rejected rows were handed over separately. */
  addSums(sums: LineSums): void;
  /** The numbers of the labels of lines. Called before the lines are added. */
  numberLabels(labels: readonly LabelSum[]): Uint32Array;
  fail(failure: Failure): void;
  readonly hasFailed: boolean;
  /** How many more rejected rows are wanted. */
  readonly rejectsWanted: number;
  summary(): FileSummary;
  /** The sums of all lines so far. */
  sums(): LineSums;
}

export function createFileTally(options: TallyOptions): FileTally {
  const problems = createProblemTally();
  const numbered = new Map<string, { number: number; line: number; count: number }>();
  let excessLabels: ProblemKind | undefined;
  let failure: Failure | undefined;
  let linesBefore = 0;
  let validRows = 0;
  let rejectedRows = 0;
  let rejectsWanted = options.onReject ? limits.rejectsPerFile.most : 0;

  function note({ code, first, count }: ProblemKind): void {
    problems.note(code, () => ({ ...first, line: linesBefore + (first.line ?? 0) }), count);
  }

  function addSums(sums: LineSums): void {
    const found = [...sums.problems, ...(excessLabels ? [excessLabels] : [])];
    found.sort((a, b) => (a.first.line ?? 0) - (b.first.line ?? 0));
    found.forEach(note);
    excessLabels = undefined;
    if (sums.failure) failure = fromFileStart(sums.failure);
    linesBefore += sums.lines;
    validRows += sums.rows;
    rejectedRows += sums.rejectedRows;
  }

  /** A failure of the whole file has no line. */
  function fromFileStart({ code, finding }: Failure): Failure {
    const { line } = finding;
    return {
      code,
      finding: line === undefined ? finding : { ...finding, line: linesBefore + line },
    };
  }

  function passOnRejects(chunk: ScannedChunk, input: SharedArrayBuffer | undefined): void {
    if (!input) return;
    for (const { code, line, start, end } of chunk.rejects.slice(0, rejectsWanted)) {
      const original = new Uint8Array(input, start, Math.min(end - start, limits.rejectBytes.most));
      options.onReject?.({ line: linesBefore + line, code, original: Uint8Array.from(original) });
      rejectsWanted--;
    }
  }

  /** Checked only at the end, because the bad rows may all be at the start of the file. */
  function failureAtEnd(): Failure | undefined {
    const totalRows = validRows + rejectedRows;
    if (totalRows === 0) return { code: 'empty_file', finding: { message: emptyFileAdvice } };
    // Opted-out devices count as rows but not as faults. Compares a quotient, not a product:
    // 0.29 * 100 is less than 29, but 29 / 100 is exactly the double 0.29.
    const faultyRows = rejectedRows - problems.count('zeroed_id');
    if (faultyRows / totalRows <= options.rejectLimit) return undefined;
    const message = rejectsAdvice(faultyRows, totalRows, options.rejectLimit);
    return { code: 'too_many_rejects', finding: { message } };
  }

  return {
    numberLabels(labels) {
      return Uint32Array.from(labels, ({ label, line, count }) => {
        const known = numbered.get(label);
        if (known) known.count += count;
        const number = known?.number ?? options.labelNumber?.(label);
        if (number !== undefined) {
          if (!known) numbered.set(label, { number, line: linesBefore + line, count });
          return number;
        }
        const first = excessLabels?.first ?? {
          message: manyLabelsAdvice,
          line,
          column: 2,
          value: label,
        };
        excessLabels = {
          code: 'too_many_labels',
          first,
          count: (excessLabels?.count ?? 0) + count,
        };
        return leftOut;
      });
    },
    add(chunk, input) {
      passOnRejects(chunk, input);
      addSums(chunk);
    },
    addSums,
    fail(given) {
      failure = given;
    },
    get hasFailed() {
      return failure !== undefined;
    },
    get rejectsWanted() {
      return rejectsWanted;
    },
    summary() {
      const ending = failure ?? failureAtEnd();
      const kinds = problems.kinds();
      if (ending) kinds.push({ code: ending.code, first: ending.finding, count: 1 });
      return {
        outcome: ending ? 'failed' : 'read',
        totalRows: validRows + rejectedRows,
        rejectedRows,
        validRows,
        problems: kinds.map((kind) => toImportProblem(kind, options.file)),
      };
    },
    sums: () => ({
      lines: linesBefore,
      rows: validRows,
      rejectedRows,
      problems: problems.kinds(),
      failure: failure ?? null,
      labelSums: Array.from(numbered, ([label, { line, count }]) => ({ label, line, count })),
    }),
  };
}

/** The labels of a chunk, in order of first occurrence. */
export function labelSums({ text, offsets, lengths, counts, firstLines }: ChunkLabels): LabelSum[] {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return Array.from(offsets, (offset, i) => ({
    label: bytes.toString('utf8', offset * 4, offset * 4 + lengths[i]!),
    line: firstLines[i]!,
    count: counts[i]!,
  }));
}
