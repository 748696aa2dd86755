import type { ImportProblem, RejectCode } from '../../domain/import-problems.ts';
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
  /** How problems name the file. */
  readonly file: string;
  /** The share of the file's rows, from 0 to 1, above which rejected ones fail it. */
  readonly rejectLimit: number;
  /** Called for the first 10,000 rejected rows, in their order. */
  readonly onReject?: ((reject: RejectedRow) => void) | undefined;
}

export interface RejectedRow {
  /** Counted from 1, with blank lines. */
  readonly line: number;
  readonly code: RejectCode;
  /** The line's exact bytes without its ending, cut at 1 KiB. */
  readonly original: Uint8Array;
}

/** The number of a label, or undefined for one to be left out. Asked again, it answers the same. */
export type LabelNumber = (label: string) => number | undefined;

export interface FileSummary {
  /** Of a failed file nothing is to be used, the rows already handed over included. */
  readonly outcome: 'read' | 'failed';
  /** Data rows read, rejected ones included. The line that fails a file is not a row of it. */
  readonly totalRows: number;
  readonly rejectedRows: number;
  readonly validRows: number;
  /** One per kind, in order of first occurrence; what failed the file is therefore the last. */
  readonly problems: readonly ImportProblem[];
}

/** Puts together what the chunks of a file held, taken in its order. */
export interface FileTally {
  add(chunk: ScannedChunk, input: SharedArrayBuffer): void;
  /** Asks for the numbers of a chunk's labels, before the chunk is added. */
  numberLabels(labels: ChunkLabels): Uint32Array;
  fail(failure: Failure): void;
  readonly hasFailed: boolean;
  /** Of how many more rejected rows the place is wanted. */
  readonly rejectsWanted: number;
  summary(): FileSummary;
}

const keptRejects = 10_000;
const keptRejectBytes = 1024;

export function createFileTally(options: TallyOptions, labelNumber: LabelNumber): FileTally {
  const problems = createProblemTally();
  const numbers = new Map<string, number>();
  let excessLabels: ProblemKind | undefined;
  let failure: Failure | undefined;
  let linesBefore = 0;
  let validRows = 0;
  let rejectedRows = 0;
  let rejectsWanted = options.onReject ? keptRejects : 0;

  function note({ code, first, count }: ProblemKind): void {
    problems.note(code, () => ({ ...first, line: linesBefore + (first.line ?? 0) }), count);
  }

  function handOver(chunk: ScannedChunk, input: SharedArrayBuffer): void {
    for (const { code, line, start, end } of chunk.rejects.slice(0, rejectsWanted)) {
      const original = new Uint8Array(input, start, Math.min(end - start, keptRejectBytes));
      options.onReject?.({ line: linesBefore + line, code, original: Uint8Array.from(original) });
      rejectsWanted--;
    }
  }

  /** Judged at the end only: a file may begin with its faults. */
  function failureAtEnd(): Failure | undefined {
    const totalRows = validRows + rejectedRows;
    if (totalRows === 0) return { code: 'empty_file', finding: { message: emptyFileAdvice } };
    // Opted-out phones are rows like any other, but no faults of the file. A quotient, not a
    // product: 0.29 * 100 comes out below 29, while 29 / 100 is the same double as 0.29.
    const faultyRows = rejectedRows - problems.count('zeroed_id');
    if (faultyRows / totalRows <= options.rejectLimit) return undefined;
    const message = rejectsAdvice(faultyRows, totalRows, options.rejectLimit);
    return { code: 'too_many_rejects', finding: { message } };
  }

  return {
    numberLabels({ text, offsets, lengths, counts, firstLines }) {
      const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
      return offsets.map((offset, i) => {
        const label = bytes.toString('utf8', offset * 4, offset * 4 + lengths[i]!);
        const number = numbers.get(label) ?? labelNumber(label);
        if (number !== undefined) {
          numbers.set(label, number);
          return number;
        }
        const count = (excessLabels?.count ?? 0) + counts[i]!;
        const first = excessLabels?.first ?? {
          message: manyLabelsAdvice,
          line: firstLines[i]!,
          column: 2,
          value: label,
        };
        excessLabels = { code: 'too_many_labels', first, count };
        return leftOut;
      });
    },
    add(chunk, input) {
      const found = [...chunk.problems, ...(excessLabels ? [excessLabels] : [])];
      found.sort((a, b) => (a.first.line ?? 0) - (b.first.line ?? 0));
      found.forEach(note);
      excessLabels = undefined;
      handOver(chunk, input);
      if (chunk.failure) {
        const { code, finding } = chunk.failure;
        failure = { code, finding: { ...finding, line: linesBefore + (finding.line ?? 0) } };
      }
      linesBefore += chunk.lines;
      validRows += chunk.rows;
      rejectedRows += chunk.rejectedRows;
    },
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
  };
}
