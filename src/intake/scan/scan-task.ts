import type { RejectCode } from '../../domain/import-problems.ts';
import type { Failure, ProblemKind } from '../report/problem-tally.ts';
import type { Delimiter } from './cells.ts';
import type { KeyTable } from './key-table.ts';
import type { ChunkLabels } from './label-dictionary.ts';

/** What the first line of a file settles. */
export interface ColumnLayout {
  readonly delimiter: Delimiter;
  readonly columns: number;
}

/** What the rows of a file are. */
export type RowKind = AudienceRows | MarketplaceRows;

interface AudienceRows {
  readonly kind: 'audience';
}

export interface MarketplaceRows {
  readonly kind: 'marketplace';
  readonly keys: KeyTable;
  readonly mode: 'merge' | 'replace';
}

/** Whole lines of one file, for a thread to read. */
export interface ScanTask {
  readonly input: SharedArrayBuffer;
  /** Bytes [start, end) of `input` are lines, the last of which ends with a line feed too. */
  readonly start: number;
  readonly end: number;
  readonly isFileStart: boolean;
  /** Null until a chunk before this one had a line that settled it. */
  readonly layout: ColumnLayout | null;
  readonly rowKind: RowKind;
  /** Where rows are written, as RowBatch describes them. */
  readonly output: SharedArrayBuffer;
  /** Of how many rejected rows the place is wanted. */
  readonly keptRejects: number;
}

/** What a chunk held; lines are counted from 1 within it. */
export interface ScannedChunk {
  readonly layout: ColumnLayout | null;
  readonly lines: number;
  readonly rows: number;
  readonly words: number;
  readonly rejectedRows: number;
  readonly problems: readonly ProblemKind[];
  readonly rejects: readonly RejectPlace[];
  /** The line that ended the reading, if one did. */
  readonly failure: Failure | null;
  /** The labels that numbers in the rows stand for; null where rows have keys. */
  readonly labels: ChunkLabels | null;
}

/** A rejected row: bytes [start, end) of the chunk. */
export interface RejectPlace {
  readonly code: RejectCode;
  readonly line: number;
  readonly start: number;
  readonly end: number;
}
