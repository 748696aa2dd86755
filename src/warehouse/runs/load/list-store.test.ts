import { describe, expect, it } from 'vitest';
import { createListStore } from './list-store.ts';

const slotWords = 64;
const span = new Uint32Array(8);

function storeOf(segments: number, pieces: readonly Uint32Array[]) {
  const store = createListStore({ segments, removals: false }, slotWords);
  for (const [piece, counts] of pieces.entries()) {
    const words = counts.reduce((sum, count) => sum + count, 0) * 4;
    const slots = Int32Array.from({ length: Math.ceil(words / slotWords) }, (_, i) => 100 + i);
    store.add(piece, slots, counts, span);
  }
  return store;
}

describe('the lists of a load', () => {
  it.each([
    ['short', 20],
    ['of hundreds of devices', 1_000],
    ['of many devices', 100_000],
  ])('are found again if they are %s', (_, largest) => {
    const segments = 75;
    const pieces = [3, 7].map((factor) =>
      Uint32Array.from({ length: segments }, (_, list) =>
        list % factor === 0 ? 0 : list === 50 ? largest : list % 5,
      ),
    );
    const store = storeOf(segments, pieces);
    for (let list = 0; list < segments; list++) {
      expect(store.isEmpty(list)).toBe(pieces.every((counts) => counts[list] === 0));
      for (const [piece, counts] of pieces.entries()) {
        expect(store.words(list, piece)).toBe(counts[list]! * 4);
        const before = counts.slice(0, list).reduce((sum, count) => sum + count, 0) * 4;
        const extents = store.extents(list, piece, piece + 1);
        let at = before;
        for (let i = 0; i < extents.length; i += 3) {
          const [slot, first, words] = extents.subarray(i, i + 3);
          expect([slot, first]).toEqual([100 + Math.floor(at / slotWords), at % slotWords]);
          at += words!;
        }
        expect(at - before).toBe(counts[list]! * 4);
      }
    }
  });

  it('take little more than a byte in each piece if they are short or empty', () => {
    const segments = 10_000;
    const counts = Uint32Array.from({ length: segments }, (_, list) => list % 11);
    const store = storeOf(segments, Array(10).fill(counts));
    expect(store.bytes / (10 * segments)).toBeLessThan(1.2);
  });
});
