import { deviceBytes } from '../../domain/device-id.ts';
import { inPlace, removal, wordsPerDevice } from '../../domain/row-batch.ts';
import { longLabelAdvice } from '../report/advice.ts';
import { maximumLabelBytes } from '../report/faults.ts';
import type { Failure, ProblemTally } from '../report/problem-tally.ts';
import { lineFeed } from './ascii.ts';
import type { ChunkCursor } from './chunk-cursor.ts';
import { decodeLine, endOfLine } from './decode-line.ts';
import type { LabelDictionary } from './label-dictionary.ts';
import { readFirstLine, readLine } from './read-line.ts';
import type { ColumnLayout, RejectPlace, RowKind } from './scan-task.ts';

/** What the scan of a chunk has found so far, apart from rows. */
export interface ChunkFindings {
  layout: ColumnLayout | null;
  failure: Failure | null;
  rejectedRows: number;
  readonly keptRejects: number;
  readonly rejects: RejectPlace[];
  readonly problems: ProblemTally;
  readonly labels: LabelDictionary;
}

/** The slow path: takes any line, as a string. The fast paths must give the same result. */
export function takeAnyLine(cursor: ChunkCursor, rowKind: RowKind, findings: ChunkFindings): void {
  const { buffer, at: start, line } = cursor;
  const feed = buffer.indexOf(lineFeed, start);
  const end = endOfLine(buffer, start, feed);
  const text = decodeLine(buffer, start, end);
  const device = Buffer.allocUnsafe(deviceBytes);
  const { layout, reading } = findings.layout
    ? { layout: findings.layout, reading: readLine(text, findings.layout, rowKind, device) }
    : readFirstLine(text, rowKind, device);
  findings.layout = layout;
  cursor.at = feed + 1;
  cursor.line++;
  switch (reading.is) {
    case 'nothing':
      break;
    case 'labelled row':
      writeRow(cursor, device, labelHeader(reading.label, line, findings), []);
      break;
    case 'row':
      writeRow(cursor, device, reading.removal ? removal : 0, reading.segments);
      break;
    case 'rejected row': {
      const { code, finding } = reading;
      findings.rejectedRows++;
      findings.problems.note(code, () => ({ ...finding, line }));
      if (findings.rejects.length < findings.keptRejects) {
        findings.rejects.push({ code, line, start, end });
      }
      break;
    }
    case 'failure': {
      const { code, finding } = reading.failure;
      findings.failure = { code, finding: { ...finding, line } };
      break;
    }
  }
}

/** A row is never rejected for its label. A label that is too long is left out. */
function labelHeader(label: string, line: number, { labels, problems }: ChunkFindings): number {
  if (label === '') return 0;
  if (Buffer.byteLength(label) > maximumLabelBytes) {
    const finding = { message: longLabelAdvice, line, column: 2, value: label };
    problems.note('label_too_long', () => finding);
    return 0;
  }
  const number = labels.numberOf(label, line);
  labels.counts[number]!++;
  return inPlace | number;
}

function writeRow(
  cursor: ChunkCursor,
  device: Buffer,
  header: number,
  segments: readonly number[],
): void {
  const { words, word } = cursor;
  for (let i = 0; i < wordsPerDevice; i++) words[word + i] = device.readUInt32BE(i * 4);
  cursor.word += wordsPerDevice + 1;
  cursor.rows++;
  if (segments.length === 1) {
    words[word + wordsPerDevice] = header | inPlace | segments[0]!;
    return;
  }
  words[word + wordsPerDevice] = header | segments.length;
  words.set(segments, cursor.word);
  cursor.word += segments.length;
}
