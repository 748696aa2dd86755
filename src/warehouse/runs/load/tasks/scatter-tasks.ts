import type { BitWindow } from '../../devices/bit-window.ts';
import { growArray } from '../../devices/grow-array.ts';
import { type Difference, indexRows, wordsPerRow } from '../../devices/rows.ts';
import { createExtentReader, type Extents, type ScratchHandle } from '../memory/slots.ts';
import { createRowCombiner } from './combine-rows.ts';
import { createScatter, type Scatter, type ScatteredRows } from './scatter.ts';

interface ScatterInput {
  /** The id of the scatter on its thread. */
  readonly scatter: number;
  /** Given the first time, together with a block for each part. */
  readonly begin: { readonly scratch: ScratchHandle; readonly window: BitWindow } | null;
  readonly blocks: Int32Array;
}

export interface ScatterBatch extends ScatterInput {
  readonly words: Uint32Array<SharedArrayBuffer>;
  readonly numbering: Uint32Array | null;
  readonly haveNoLists: boolean;
}

export interface ScatterExtents extends ScatterInput {
  readonly scratch: ScratchHandle;
  readonly extents: Extents;
  readonly haveNoLists: boolean;
}

export interface RowsOfPart {
  readonly scratch: ScratchHandle;
  readonly extents: Extents;
}

/** The tasks of a thread on rows before they are sorted. */
export function createScatterTasks() {
  const scatters = new Map<number, Scatter>();
  const readExtents = createExtentReader();
  let positions = new Uint32Array(0);

  function find(id: number): Scatter {
    const scatter = scatters.get(id);
    if (!scatter) throw new Error('a loading thread ended and lost rows of this load');
    return scatter;
  }

  function scatterOf({ scatter: id, begin, blocks }: ScatterInput): Scatter {
    if (begin) scatters.set(id, createScatter(begin.scratch, begin.window));
    const scatter = find(id);
    scatter.grant(blocks);
    return scatter;
  }

  const read = ({ scratch, extents }: RowsOfPart) => readExtents(scratch, extents);

  return {
    scatter(input: ScatterBatch): void {
      scatterOf(input).add(input.words, input.numbering, input.haveNoLists);
    },

    /** Scatters rows that are already in slots. */
    scatterExtents(input: ScatterExtents): void {
      scatterOf(input).add(read(input), null, input.haveNoLists);
    },

    endScatter({ scatter: id, spillAll }: { scatter: number; spillAll: boolean }): ScatteredRows {
      const scatter = find(id);
      scatters.delete(id);
      return scatter.finish(spillAll);
    },

    discardScatter({ scatter }: { scatter: number }): void {
      scatters.delete(scatter);
    },

    difference(input: RowsOfPart): Difference {
      const found = read(input);
      positions = growArray(positions, Math.ceil(found.length / wordsPerRow));
      return indexRows(found, positions).difference;
    },

    combineRows(input: RowsOfPart & { maxRowWords: number }): Uint32Array {
      const combiner = createRowCombiner();
      combiner.add(read(input));
      return combiner.finish(input.maxRowWords);
    },
  };
}
