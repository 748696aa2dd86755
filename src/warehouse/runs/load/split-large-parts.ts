import { type Difference, joinDifferences, prefixBits } from '../devices/rows.ts';
import { deviceBits, windowAfter } from '../devices/bit-window.ts';
import { partsAtLeast } from './memory/block-arena.ts';
import type { LoadRoom } from './memory/scratch-space.ts';
import { type Extents, wordsPerExtent } from './memory/slots.ts';
import {
  createRowScatter,
  type LoadThreads,
  type Part,
  type RowParts,
  slotsOf,
} from './parallel-scatter.ts';
import { shareOut } from './run-on-threads.ts';
import { createSqueeze } from './tasks/combine-rows.ts';

const slotsPerTask = 32;
const leastBits = Math.log2(partsAtLeast);

interface Division {
  readonly threads: LoadThreads;
  readonly room: LoadRoom;
  /** Parts of more words are too large. */
  readonly maxPartWords: number;
  readonly signal: AbortSignal;
}

/**
 * Divides parts that are too large to be sorted at once, by the bits that follow what all their
 * devices have in common, until none is. Each is divided when it is asked for, so that of all that
 * are too large only one at a time takes memory twice.
 */
export async function* divideParts(
  division: Division,
  { parts, areShort }: Pick<RowParts, 'parts' | 'areShort'>,
): AsyncGenerator<Part, void> {
  for (const part of parts) {
    if (part.rows || part.words <= division.maxPartWords) yield part;
    else yield* divideParts(division, { parts: await divide(division, part, areShort), areShort });
  }
}

async function divide(
  division: Division,
  part: Part,
  haveNoLists: boolean,
): Promise<readonly Part[]> {
  const { threads, room, maxPartWords, signal } = division;
  const { pool } = threads;
  const handle = await room.handleWithFile();
  const differences: Difference[] = [];
  await shareOut(pieces(part.extents), pool.size, signal, async (extents, thread) => {
    differences.push(await pool.run('difference', { room: handle, extents }, { thread }));
  });
  const prefix = prefixBits(joinDifferences(differences));
  if (prefix === deviceBits) return [await squeeze(division, part)];
  const bits = bitsFor(part.words / maxPartWords, room.availableBlocks() / pool.size);
  const scatter = createRowScatter(threads, room, handle, windowAfter(prefix, bits));
  try {
    await shareOut(pieces(part.extents), pool.size, signal, async (extents, thread) => {
      await scatter.addAgain(extents, haveNoLists, thread);
      room.give(slotsOf(extents));
    });
    const { parts } = await scatter.finish(true);
    return parts;
  } finally {
    await scatter.forget();
  }
}

/**
 * Parts of a quarter of the largest size, if rows are spread evenly. Each takes a block on each
 * thread, and only the first few may go beyond what is available.
 */
function bitsFor(timesTooLarge: number, blocksPerThread: number): number {
  const wanted = Math.ceil(Math.log2(timesTooLarge)) + 2;
  const most = Math.min(Math.floor(Math.log2(blocksPerThread + 1)), 8);
  return Math.max(Math.min(wanted, most), leastBits);
}

/** Rows of one device, reduced to what they say together. */
async function squeeze({ threads, room, signal }: Division, part: Part): Promise<Part> {
  const { pool } = threads;
  const together = createSqueeze();
  await shareOut(pieces(part.extents), pool.size, signal, async (extents, thread) => {
    const input = { room: room.handle(), extents, maxRowWords: room.slotWords };
    together.add(await pool.run('squeeze', input, { thread }));
    room.give(slotsOf(extents));
  });
  const rows = together.finish(room.slotWords);
  return { words: rows.length, extents: new Int32Array(0), rows };
}

function* pieces(extents: Extents): Iterable<Extents> {
  const length = slotsPerTask * wordsPerExtent;
  for (let at = 0; at < extents.length; at += length) yield extents.slice(at, at + length);
}
