import fc from 'fast-check';
import { BoundaryOrders } from 'hyparquet/src/constants.js';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js';
import { expect, test } from 'vitest';
import { encodeDevices } from '../devices/device-words.ts';
import { encodePageIndex } from './encode-page-index.ts';
import { type PageEntry, setPage, wordsPerPage } from './page-table.ts';

const device = fc.uint32Array({ minLength: 4, maxLength: 4 });
const page: fc.Arbitrary<PageEntry> = fc.record({
  first: device,
  last: device,
  offset: fc.oneof(
    fc.nat(),
    fc.maxSafeNat().map((offset) => Math.floor(offset / 2)),
  ),
  bytes: fc.nat({ max: 70_000 }),
  devices: fc.integer({ min: 1, max: 4096 }),
});

test('an encoded page index equals the output of a thrift serializer', () => {
  fc.assert(
    fc.property(fc.array(page, { minLength: 1, maxLength: 40 }), (pages) => {
      const table = new Uint32Array(pages.length * wordsPerPage);
      for (const [number, entry] of pages.entries()) setPage(table, number, entry);
      const { bytes, columnIndexBytes } = encodePageIndex(table);
      const expected = serialized(pages);
      expect(columnIndexBytes).toBe(expected.columnIndexBytes);
      expect(bytes).toEqual(expected.bytes);
    }),
    { numRuns: process.env.TRIBUTARY_SOAK ? 5_000 : 100 },
  );
});

function serialized(pages: readonly PageEntry[]) {
  const out = new ByteWriter();
  serializeTCompactProtocol(out, {
    field_1: pages.map(() => false),
    field_2: pages.map(({ first }) => encodeDevices(first)),
    field_3: pages.map(({ last }) => encodeDevices(last)),
    field_4: BoundaryOrders.indexOf('ASCENDING'),
    field_5: pages.map(() => 0n),
  });
  const columnIndexBytes = out.offset;
  let firstRow = 0;
  serializeTCompactProtocol(out, {
    field_1: pages.map(({ offset, bytes, devices }) => {
      const location = { field_1: BigInt(offset), field_2: bytes, field_3: BigInt(firstRow) };
      firstRow += devices;
      return location;
    }),
  });
  return { bytes: out.getBytes(), columnIndexBytes };
}
