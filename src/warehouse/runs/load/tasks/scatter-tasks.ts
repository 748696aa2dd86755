import { grown } from '../../devices/grow-array.ts';
import { type Difference, indexRows, wordsPerRow } from '../../devices/rows.ts';
import type { Window } from '../../devices/bit-window.ts';
import { type Extents, extentWords, type Room, readExtents } from '../memory/slots.ts';
import { createScatter, type Scatter, type ScatteredRows } from './scatter.ts';
import { createSqueeze } from './combine-rows.ts';

interface ScatterInput {
  /** Names the scatter among all that the thread has under way. */
  readonly scatter: number;
  /** Given the first time, with a block for each part. */
  readonly begin: { readonly room: Room; readonly window: Window } | null;
  readonly blocks: Int32Array;
}

export interface ScatterBatch extends ScatterInput {
  readonly words: Uint32Array<SharedArrayBuffer>;
  readonly numbering: Uint32Array | null;
  readonly haveNoLists: boolean;
}

export interface ScatterAgain extends ScatterInput {
  readonly room: Room;
  readonly extents: Extents;
  readonly haveNoLists: boolean;
}

export interface RowsOfPart {
  readonly room: Room;
  readonly extents: Extents;
}

/** What a thread does with rows before they are sorted. */
export function createScatterTasks() {
  const scatters = new Map<number, Scatter>();
  let rows = new Uint32Array(0);
  let positions = new Uint32Array(0);

  function scatterOf({ scatter, begin, blocks }: ScatterInput): Scatter {
    if (begin) scatters.set(scatter, createScatter(begin.room, begin.window));
    const found = scatters.get(scatter);
    if (!found) throw new Error('the thread that held rows of this load has ended');
    found.grant(blocks);
    return found;
  }

  function read({ room, extents }: RowsOfPart): Uint32Array {
    const end = extentWords(extents);
    rows = grown(rows, end);
    readExtents(room, extents, rows, 0);
    return rows.subarray(0, end);
  }

  return {
    scatter(input: ScatterBatch): void {
      scatterOf(input).add(input.words, input.numbering, input.haveNoLists);
    },

    /** Rows of a part that is too large go into parts of their own. */
    scatterAgain(input: ScatterAgain): void {
      const scatter = scatterOf(input);
      scatter.add(read(input), null, input.haveNoLists);
    },

    endScatter({ scatter, aside }: { scatter: number; aside: boolean }): ScatteredRows {
      const found = scatters.get(scatter);
      if (!found) throw new Error('the thread that held rows of this load has ended');
      scatters.delete(scatter);
      return found.finish(aside);
    },

    forgetScatter({ scatter }: { scatter: number }): void {
      scatters.delete(scatter);
    },

    difference(input: RowsOfPart): Difference {
      const found = read(input);
      positions = grown(positions, Math.ceil(found.length / wordsPerRow));
      return indexRows(found, positions).difference;
    },

    squeeze(input: RowsOfPart & { maxRowWords: number }): Uint32Array {
      const squeeze = createSqueeze();
      squeeze.add(read(input));
      return squeeze.finish(input.maxRowWords);
    },
  };
}
