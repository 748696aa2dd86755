import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wordsPerDevice } from '../../../../domain/row-batch.ts';
import type { ReadableRun } from '../../file/readable-run.ts';
import { hexOf, spreadDevice, wordsOfHex } from '../../testing/rows.ts';
import type { Extents, ScratchHandle } from '../memory/slots.ts';
import { createRemovalMarker, remainingDevices } from './mark-removed.ts';

const slotWords = 400;

/** Lists in blocks of shared memory. */
function scratchOf(...lists: (readonly string[])[]): {
  scratch: ScratchHandle;
  extents: Extents[];
} {
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
  const spillSlots = new Int32Array(new SharedArrayBuffer(4));
  return { scratch: { memory, slotWords, spillSlots, spillFd: -1 }, extents };
}

/** A run with `perPage` devices per page, and a reader that records the pages read. */
function runOf(devices: readonly string[], perPage: number) {
  const pages = Array.from({ length: Math.ceil(devices.length / perPage) }, (_, page) =>
    wordsOfHex(devices.slice(page * perPage, (page + 1) * perPage).join('')),
  );
  const spans = Uint32Array.from(
    pages.flatMap((page) => [...page.slice(0, wordsPerDevice), ...page.slice(-wordsPerDevice)]),
  );
  const read: number[] = [];
  const reader = {
    readPage(_: ReadableRun, page: number) {
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
  return { run: { index } as unknown as ReadableRun, pages, read, reader };
}

const sorted = (numbers: Iterable<number>) => [...numbers].map(spreadDevice).sort();
const some = fc.uniqueArray(fc.nat(500), { maxLength: 300 });

it('marks devices that are removed and not added', () => {
  const perPage = fc.constantFrom(1, 7, 50, 1000);
  fc.assert(
    fc.property(some, some, some, some, perPage, (held, fromAll, removed, added, perPage) => {
      const lists = scratchOf(sorted(fromAll), sorted(removed), sorted(added));
      const { run, pages, reader } = runOf(sorted(held), perPage);
      const [marked] = createRemovalMarker(reader).markRemoved({
        scratch: lists.scratch,
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
        const affected = marked!.get(i);
        return hexOf(affected ? remainingDevices(affected) : page);
      });
      const gone = new Set([...fromAll, ...removed].filter((number) => !added.includes(number)));
      expect(kept).toEqual(sorted(held.filter((number) => !gone.has(number))));
    }),
  );
});

it('reads each requested page that may hold a removed device once', () => {
  const devices = sorted(Array.from({ length: 100_000 }, (_, i) => i));
  const { run, read, reader } = runOf(devices, 1000);
  const few = [5, 11_500, 11_501, 70_000, 99_999].map((at) => devices[at]!);
  const lists = scratchOf(few, [devices[70_001]!], [devices[30_000]!]);
  const [removedFromAll, removed, added] = lists.extents as [Extents, Extents, Extents];
  const items = [{ run, firstPage: 10, pages: 80, removed, added }];
  const [marked] = createRemovalMarker(reader).markRemoved({
    scratch: lists.scratch,
    removedFromAll,
    items,
  });
  expect(read).toEqual([11, 70]);
  expect(
    [...marked!.values()].map((page) => remainingDevices(page).length / wordsPerDevice),
  ).toEqual([998, 998]);
});

it('handles a list larger than the chunks it reads', () => {
  const devices = sorted(Array.from({ length: 150_000 }, (_, i) => i));
  const { run, reader } = runOf([devices[0]!, devices[80_000]!, devices[149_999]!], 10);
  const lists = scratchOf(devices, [], []);
  const [removedFromAll, removed, added] = lists.extents as [Extents, Extents, Extents];
  const items = [{ run, firstPage: 0, pages: 1, removed, added }];
  const [marked] = createRemovalMarker(reader).markRemoved({
    scratch: lists.scratch,
    removedFromAll,
    items,
  });
  expect(remainingDevices(marked!.get(0)!)).toHaveLength(0);
});
