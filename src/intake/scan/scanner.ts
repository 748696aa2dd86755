import { maximumLineBytes } from '../report/faults.ts';
import { createProblemTally } from '../report/problem-tally.ts';
import { bar, carriageReturn, lineFeed, space, tab } from './ascii.ts';
import { beginChunk, type ChunkCursor } from './chunk-cursor.ts';
import { takeFastLine } from './fast-line.ts';
import { createLabelDictionary } from './label-dictionary.ts';
import type { ColumnLayout, RowKind, ScannedChunk, ScanTask } from './scan-task.ts';
import { createSegmentMarks } from './segment-marks.ts';
import { takeShortTextLines } from './short-text-lines.ts';
import { type ChunkFindings, takeAnyLine } from './slow-line.ts';
import { repeated } from './text-words.ts';

export interface Scanner {
  scan(task: ScanTask): ScannedChunk;
}

/** Takes some common lines; false if it took none. */
type FastPath = () => boolean;

const fourLineFeeds = 0x0a0a_0a0a;
/** Far enough below the largest 32-bit integer for the rows of one chunk. */
const lastMark = 2 ** 29;

/** Turns chunks of lines into rows. Without the fast path, every line takes the slow path. */
export function createScanner({ useFastPath } = { useFastPath: true }): Scanner {
  const labels = createLabelDictionary();
  let marks = createSegmentMarks(0);

  function fastPath(
    cursor: ChunkCursor,
    rowKind: RowKind,
    layout: ColumnLayout | null,
  ): FastPath | null {
    if (!useFastPath || !layout) return null;
    const { columns } = layout;
    const delimiter = layout.delimiter.charCodeAt(0);
    const shape = { columns, delimiter };
    if (rowKind.kind === 'audience') {
      const separators = repeated(delimiter);
      const label = { cursor, delimiter, labels };
      const short = { ...shape, separators, mayRemove: false, marks: null };
      let rows = { ...short, table: labels.table, counts: labels.counts };
      return () => {
        // The dictionary moves to a larger table when it grows.
        if (rows.table !== labels.table) {
          rows = { ...short, table: labels.table, counts: labels.counts };
        }
        return takeShortTextLines(cursor, rows) || takeFastLine(cursor, null, label);
      };
    }
    const { keys: table } = rowKind;
    const mayRemove = rowKind.mode === 'merge';
    const rows = { ...shape, separators: repeated(bar), mayRemove, table, marks, counts: null };
    const keys = { cursor, ...shape, rowKind, marks };
    return () => takeShortTextLines(cursor, rows) || takeFastLine(cursor, keys, null);
  }

  function prepare({ rowKind }: ScanTask): void {
    labels.clear();
    if (rowKind.kind !== 'marketplace') return;
    const { segments } = rowKind.keys;
    if (segments > marks.marked.length || marks.mark > lastMark) {
      marks = createSegmentMarks(segments);
    }
  }

  return {
    scan(task) {
      prepare(task);
      const cursor = beginChunk(task);
      const findings: ChunkFindings = {
        layout: task.layout,
        failure: null,
        rejectedRows: 0,
        keptRejects: task.keptRejects,
        rejects: [],
        problems: createProblemTally(),
        labels,
      };
      let takeFast = fastPath(cursor, task.rowKind, findings.layout);
      while (cursor.at < cursor.end && !findings.failure) {
        if (takeFast?.() || skipBlankLines(cursor)) continue;
        takeAnyLine(cursor, task.rowKind, findings);
        takeFast ??= fastPath(cursor, task.rowKind, findings.layout);
      }
      return {
        layout: findings.layout,
        lines: cursor.line - 1,
        rows: cursor.rows,
        words: cursor.word,
        rejectedRows: findings.rejectedRows,
        problems: findings.problems.kinds(),
        rejects: findings.rejects,
        failure: findings.failure,
        labels: task.rowKind.kind === 'audience' ? labels.labels() : null,
      };
    },
  };
}

/** Some files have millions of blank lines. This avoids a string for each. */
function skipBlankLines(cursor: ChunkCursor): boolean {
  const { bytes, view, end } = cursor;
  let { at, line } = cursor;
  while (at < end) {
    while (at + 4 <= end && view.getInt32(at, true) === fourLineFeeds) {
      at += 4;
      line += 4;
    }
    let stop = at;
    while (bytes[stop] === space || bytes[stop] === tab) stop++;
    if (bytes[stop] === carriageReturn) stop++;
    if (at === end || bytes[stop] !== lineFeed || stop - at > maximumLineBytes) break;
    at = stop + 1;
    line++;
  }
  const hasMoved = at > cursor.at;
  cursor.at = at;
  cursor.line = line;
  return hasMoved;
}
