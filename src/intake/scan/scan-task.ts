import type { RejectCode } from '../../domain/import-problems.ts';
import type { Failure, ProblemKind } from '../report/problem-tally.ts';
import type { Delimiter } from './cells.ts';
import type { KeyTable } from './key-table.ts';
import type { ChunkLabels } from './label-dictionary.ts';

/** The layout of a file, determined by its first line. */
export interface ColumnLayout {
  readonly delimiter: Delimiter;
  readonly columns: number;
}

/** The kind of rows in a file. */
export type RowKind = AudienceRows | MarketplaceRows;

interface AudienceRows {
  readonly kind: 'audience';
}

export interface MarketplaceRows {
  readonly kind: 'marketplace';
  readonly keys: KeyTable;
  readonly mode: 'merge' | 'replace';
}

/** Whole lines of one file, to be scanned by a thread. */
export interface ScanTask {
  readonly input: SharedArrayBuffer;
  /** The lines are bytes [start, end) of `input`. The last one also ends with a line feed. */
  readonly start: number;
  readonly end: number;
  readonly isFileStart: boolean;
  /** Null until an earlier chunk has determined it. */
  readonly layout: ColumnLayout | null;
  readonly rowKind: RowKind;
  /** Receives the rows, in the format of `RowBatch`. */
  readonly output: SharedArrayBuffer;
  /** How many rejected rows to return in `rejects`. */
  readonly keptRejects: number;
}

/** The result of a scan. Line numbers start at 1 within the chunk. */
export interface ScannedChunk {
  readonly layout: ColumnLayout | null;
  readonly lines: number;
  readonly rows: number;
  readonly words: number;
  readonly rejectedRows: number;
  readonly problems: readonly ProblemKind[];
  readonly rejects: readonly RejectPlace[];
  /** The line that fails the file, if any. */
  readonly failure: Failure | null;
  /** The labels that the rows refer to by number; null for rows with keys. */
  readonly labels: ChunkLabels | null;
}

/** A rejected row: bytes [start, end) of `input`. */
export interface RejectPlace {
  readonly code: RejectCode;
  readonly line: number;
  readonly start: number;
  readonly end: number;
}
