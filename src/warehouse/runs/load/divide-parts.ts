import type { LoadRoom } from './load-room.ts';
import { type Extents, wordsPerExtent } from './room.ts';
import {
  createRowScatter,
  type LoadThreads,
  type Part,
  type RowParts,
  slotsOf,
} from './row-scatter.ts';
import { type Difference, joinDifferences, prefixBits } from './rows.ts';
import { shareOut } from './share-out.ts';
import { deviceBits, windowAfter } from './window.ts';

const slotsPerTask = 32;

interface Division {
  readonly threads: LoadThreads;
  readonly room: LoadRoom;
  /** Parts of more words are too large. */
  readonly maxPartWords: number;
  readonly signal: AbortSignal;
}

/**
 * Divides parts that are too large to be sorted at once, by the bits that follow what all their
 * devices have in common, until none is. Rows of one device are reduced to what they say together.
 */
export async function divideParts(
  division: Division,
  { parts, areShort }: Pick<RowParts, 'parts' | 'areShort'>,
): Promise<Part[]> {
  const divided: Part[] = [];
  for (const part of parts) {
    if (part.words <= division.maxPartWords) divided.push(part);
    else {
      const smaller = await divide(division, part, areShort);
      for (const one of await divideParts(division, { parts: smaller, areShort }))
        divided.push(one);
    }
  }
  return divided;
}

async function divide(
  division: Division,
  part: Part,
  haveNoLists: boolean,
): Promise<readonly Part[]> {
  const { threads, room, signal } = division;
  const { pool } = threads;
  const handle = await room.handleWithFile();
  const differences: Difference[] = [];
  await shareOut(pieces(part.extents), pool.size, signal, async (extents, thread) => {
    differences.push(await pool.run('difference', { room: handle, extents }, { thread }));
  });
  const prefix = prefixBits(joinDifferences(differences));
  if (prefix === deviceBits) return [await squeeze(division, part)];
  // Each part takes a block on each thread, which may have to go beyond the budget.
  const perThread = Math.floor(room.availableBlocks() / pool.size);
  const bits = Math.min(Math.max(Math.floor(Math.log2(perThread + 1)), 4), 8);
  const scatter = createRowScatter(threads, room, handle, windowAfter(prefix, bits));
  try {
    await shareOut(pieces(part.extents), pool.size, signal, async (extents, thread) => {
      await scatter.addAgain(extents, haveNoLists, thread);
      room.give(slotsOf(extents));
    });
    const { parts } = await scatter.finish();
    return parts;
  } finally {
    await scatter.forget();
  }
}

async function squeeze({ threads, room, signal }: Division, part: Part): Promise<Part> {
  const { pool } = threads;
  const squeezed: number[] = [];
  await shareOut(pieces(part.extents), pool.size, signal, async (extents, thread) => {
    const input = { room: room.handle(), extents, maxRowWords: room.slotWords };
    for (const word of await pool.run('squeeze', input, { thread })) squeezed.push(word);
    room.give(slotsOf(extents));
  });
  return { words: 0, extents: new Int32Array(0), rows: Uint32Array.from(squeezed) };
}

function* pieces(extents: Extents): Iterable<Extents> {
  const length = slotsPerTask * wordsPerExtent;
  for (let at = 0; at < extents.length; at += length) yield extents.slice(at, at + length);
}
