import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wordsPerDevice } from '../../../../domain/row-batch.ts';
import type { OpenRun } from '../../file/readable-run.ts';
import { hexOf, spreadDevice, wordsOfHex } from '../../testing/rows.ts';
import { createLossMarker, keptOf } from './mark-removed.ts';
import type { Extents, Room } from '../memory/slots.ts';

const slotWords = 400;

/** Lists in blocks of shared memory. */
function roomOf(...lists: (readonly string[])[]): { room: Room; extents: Extents[] } {
  const blocks: Uint32Array[] = [];
  const extents = lists.map((devices) => {
    const words = wordsOfHex(devices.join(''));
    const ofList: number[] = [];
    for (let at = 0; at < words.length; at += slotWords) {
      const block = words.subarray(at, at + slotWords);
      ofList.push(blocks.push(block) - 1, 0, block.length);
    }
    return Int32Array.from(ofList);
  });
  const memory = new Uint32Array(new SharedArrayBuffer(blocks.length * slotWords * 4));
  for (const [i, block] of blocks.entries()) memory.set(block, i * slotWords);
  const fileSlots = new Int32Array(new SharedArrayBuffer(4));
  return { room: { memory, slotWords, fileSlots, scratchFd: -1 }, extents };
}

/** A run in pages of so many devices, and what is read of it. */
function runOf(devices: readonly string[], perPage: number) {
  const pages = Array.from({ length: Math.ceil(devices.length / perPage) }, (_, page) =>
    wordsOfHex(devices.slice(page * perPage, (page + 1) * perPage).join('')),
  );
  const spans = Uint32Array.from(
    pages.flatMap((page) => [...page.slice(0, wordsPerDevice), ...page.slice(-wordsPerDevice)]),
  );
  const read: number[] = [];
  const reader = {
    readPage(_: OpenRun, page: number) {
      read.push(page);
      return pages[page]!.slice();
    },
    close() {},
  };
  const index = {
    pages: pages.length,
    spans,
    devices: Uint32Array.from(pages, (page) => page.length / wordsPerDevice),
  };
  return { run: { index } as unknown as OpenRun, pages, read, reader };
}

const sorted = (numbers: Iterable<number>) => [...numbers].map(spreadDevice).sort();
const some = fc.uniqueArray(fc.nat(500), { maxLength: 300 });

it('marks what is removed and not added, as sets would', () => {
  const perPage = fc.constantFrom(1, 7, 50, 1000);
  fc.assert(
    fc.property(some, some, some, some, perPage, (held, fromAll, removed, added, perPage) => {
      const lists = roomOf(sorted(fromAll), sorted(removed), sorted(added));
      const { run, pages, reader } = runOf(sorted(held), perPage);
      const [marked] = createLossMarker(reader).markLost({
        room: lists.room,
        removedFromAll: lists.extents[0]!,
        items: [
          {
            run,
            firstPage: 0,
            pages: pages.length,
            removed: lists.extents[1]!,
            added: lists.extents[2]!,
          },
        ],
      });
      const kept = pages.flatMap((page, i) => {
        const losing = marked!.get(i);
        return hexOf(losing ? keptOf(losing) : page);
      });
      const lost = new Set([...fromAll, ...removed].filter((number) => !added.includes(number)));
      expect(kept).toEqual(sorted(held.filter((number) => !lost.has(number))));
    }),
  );
});

it('reads the pages in which a removal falls, each once, and only of those asked for', () => {
  const devices = sorted(Array.from({ length: 100_000 }, (_, i) => i));
  const { run, read, reader } = runOf(devices, 1000);
  const few = [5, 11_500, 11_501, 70_000, 99_999].map((at) => devices[at]!);
  const lists = roomOf(few, [devices[70_001]!], [devices[30_000]!]);
  const [removedFromAll, removed, added] = lists.extents as [Extents, Extents, Extents];
  const items = [{ run, firstPage: 10, pages: 80, removed, added }];
  const [marked] = createLossMarker(reader).markLost({ room: lists.room, removedFromAll, items });
  expect(read).toEqual([11, 70]);
  expect([...marked!.values()].map((page) => keptOf(page).length / wordsPerDevice)).toEqual([
    998, 998,
  ]);
});

it('goes through a list that is larger than what it reads at once', () => {
  const devices = sorted(Array.from({ length: 150_000 }, (_, i) => i));
  const { run, reader } = runOf([devices[0]!, devices[80_000]!, devices[149_999]!], 10);
  const lists = roomOf(devices, [], []);
  const [removedFromAll, removed, added] = lists.extents as [Extents, Extents, Extents];
  const items = [{ run, firstPage: 0, pages: 1, removed, added }];
  const [marked] = createLossMarker(reader).markLost({ room: lists.room, removedFromAll, items });
  expect(keptOf(marked!.get(0)!)).toHaveLength(0);
});
