import type { SpaceCheck } from '../../../domain/disk-reserve.ts';
import { deviceBits, windowAfter } from '../devices/bit-window.ts';
import { type Difference, joinDifferences, prefixBits } from '../devices/rows.ts';
import { minSplitParts } from './memory/block-arena.ts';
import type { ScratchSpace } from './memory/scratch-space.ts';
import { type Extents, wordsPerExtent } from './memory/slots.ts';
import {
  createParallelScatter,
  type LoadThreads,
  type Part,
  type RowParts,
  slotsOf,
} from './parallel-scatter.ts';
import { runOnThreads } from './run-on-threads.ts';
import { createRowCombiner } from './tasks/combine-rows.ts';

const slotsPerTask = 32;
const leastBits = Math.log2(minSplitParts);

interface SplitContext {
  readonly threads: LoadThreads;
  readonly scratch: ScratchSpace;
  /** Larger parts are split. */
  readonly maxPartWords: number;
  readonly signal: AbortSignal;
  readonly checkSpace: SpaceCheck;
}

/**
 * Splits parts that are too large to sort in memory, by the bits after the common prefix of their
 * devices, until all parts are small enough. A part is split only when the consumer requests it, so
 * only one large part at a time takes memory twice.
 */
export async function* splitLargeParts(
  context: SplitContext,
  { parts, areShort }: Pick<RowParts, 'parts' | 'areShort'>,
): AsyncGenerator<Part, void> {
  for (const part of parts) {
    if (part.rows || part.words <= context.maxPartWords) yield part;
    else yield* splitLargeParts(context, { parts: await split(context, part, areShort), areShort });
  }
}

async function split(
  context: SplitContext,
  part: Part,
  haveNoLists: boolean,
): Promise<readonly Part[]> {
  const { threads, scratch, maxPartWords, signal } = context;
  const { pool } = threads;
  await context.checkSpace(part.words * Uint32Array.BYTES_PER_ELEMENT);
  const handle = await scratch.handleWithSpillFile();
  const differences: Difference[] = [];
  await runOnThreads(pieces(part.extents), pool.size, signal, async (extents, thread) => {
    differences.push(await pool.run('difference', { scratch: handle, extents }, { thread }));
  });
  const prefix = prefixBits(joinDifferences(differences));
  if (prefix === deviceBits) return [await combineRows(context, part)];
  const bits = bitsFor(part.words / maxPartWords, scratch.availableBlocks() / pool.size);
  const scatter = createParallelScatter(threads, scratch, handle, windowAfter(prefix, bits));
  try {
    await runOnThreads(pieces(part.extents), pool.size, signal, async (extents, thread) => {
      await scatter.addExtents(extents, haveNoLists, thread);
      scratch.release(slotsOf(extents));
    });
    const { parts } = await scatter.finish(true);
    return parts;
  } finally {
    await scatter.discard();
  }
}

/**
 * Aims at parts of a quarter of the largest size if rows are distributed evenly. Each part takes a
 * block on each thread; only the minimum number of parts may exceed the available memory.
 */
function bitsFor(timesTooLarge: number, blocksPerThread: number): number {
  const wanted = Math.ceil(Math.log2(timesTooLarge)) + 2;
  const most = Math.min(Math.floor(Math.log2(blocksPerThread + 1)), 8);
  return Math.max(Math.min(wanted, most), leastBits);
}

/** Combines rows that all have the same device. */
async function combineRows({ threads, scratch, signal }: SplitContext, part: Part): Promise<Part> {
  const { pool } = threads;
  const combiner = createRowCombiner();
  await runOnThreads(pieces(part.extents), pool.size, signal, async (extents, thread) => {
    const input = { scratch: scratch.handle(), extents, maxRowWords: scratch.slotWords };
    combiner.add(await pool.run('combineRows', input, { thread }));
    scratch.release(slotsOf(extents));
  });
  const rows = combiner.finish(scratch.slotWords);
  return { words: rows.length, extents: new Int32Array(0), rows };
}

function* pieces(extents: Extents): Iterable<Extents> {
  const length = slotsPerTask * wordsPerExtent;
  for (let at = 0; at < extents.length; at += length) yield extents.slice(at, at + length);
}
