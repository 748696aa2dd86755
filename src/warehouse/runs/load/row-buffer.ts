import type { RowBatch } from '../../../domain/row-batch.ts';
import { emptyWindow } from '../devices/bit-window.ts';
import { wordsPerRow } from '../devices/rows.ts';
import type { ScratchSpace } from './memory/scratch-space.ts';
import { joinScattered, type RowParts } from './parallel-scatter.ts';
import { createScatter, type Scatter } from './tasks/scatter.ts';

/**
 * Holds the rows of a load that may stay small, as one part. Rows are copied immediately, because
 * even a batch of one row pins 64 KiB of the read buffers.
 */
export interface RowBuffer {
  readonly words: number;
  add(batch: Pick<RowBatch, 'words' | 'rows' | 'numbering'>): void;
  finish(): RowParts;
}

export function createRowBuffer(scratch: ScratchSpace): RowBuffer {
  let scatter: Scatter | undefined;
  let words = 0;
  let granted = 0;

  return {
    get words() {
      return words;
    },
    add(batch) {
      scatter ??= createScatter(scratch.handle(), emptyWindow);
      words += batch.words.length;
      // A row never spans two blocks, so two neighbouring blocks may hold little more than one.
      const needed = Math.floor((2 * words) / scratch.slotWords) + 1;
      scatter.grant(scratch.takeBlocks(needed - granted, true));
      granted = needed;
      const haveNoLists = batch.words.length === batch.rows * wordsPerRow;
      scatter.add(batch.words, batch.numbering, haveNoLists);
    },
    finish() {
      const scattered = scatter ? [scatter.finish(false)] : [];
      for (const { unused } of scattered) scratch.release(unused);
      return joinScattered(scattered, emptyWindow);
    },
  };
}
