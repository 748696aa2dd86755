import type { RowBatch } from '../../../domain/row-batch.ts';
import { wordsPerRow } from '../devices/rows.ts';
import { noBits } from '../devices/bit-window.ts';
import type { LoadRoom } from './memory/scratch-space.ts';
import { joinScattered, type RowParts } from './parallel-scatter.ts';
import { createScatter, type Scatter } from './tasks/scatter.ts';

/**
 * Rows of a load that may stay small, packed into blocks as one part. They are copied at once: a
 * batch of one row pins 64 KiB of what files are read into.
 */
export interface HeldRows {
  readonly words: number;
  add(batch: Pick<RowBatch, 'words' | 'rows' | 'numbering'>): void;
  finish(): RowParts;
}

export function createHeldRows(room: LoadRoom): HeldRows {
  let scatter: Scatter | undefined;
  let words = 0;
  let granted = 0;

  return {
    get words() {
      return words;
    },
    add(batch) {
      scatter ??= createScatter(room.handle(), noBits);
      words += batch.words.length;
      // A row never spans two blocks, so that two neighbours may hold little more than one could.
      const needed = Math.floor((2 * words) / room.slotWords) + 1;
      scatter.grant(room.takeBlocks(needed - granted, true));
      granted = needed;
      const haveNoLists = batch.words.length === batch.rows * wordsPerRow;
      scatter.add(batch.words, batch.numbering, haveNoLists);
    },
    finish() {
      const scattered = scatter ? [scatter.finish(false)] : [];
      for (const { unused } of scattered) room.give(unused);
      return joinScattered(scattered, noBits);
    },
  };
}
