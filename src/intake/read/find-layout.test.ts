import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findLayout } from './find-layout.ts';

function layoutOf(...pieces: (string | Uint8Array)[]) {
  const source = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  return findLayout(source, 'marketplace');
}

const device = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

test('the first line that is not blank gives the layout', async () => {
  expect(await layoutOf(`${device},1\n`)).toEqual({ delimiter: ',', columns: 2 });
  expect(await layoutOf('\ufeff\r\n \n', 'id\tkeys\r\n')).toEqual({ delimiter: '\t', columns: 2 });
  expect(await layoutOf(`${device},1,us,0,k\n`)).toEqual({ delimiter: ',', columns: 5 });
});

test('a file that is compressed, invalid or has no whole line near its beginning has none', async () => {
  expect(await layoutOf(gzipSync(`${device},1\n`))).toBeNull();
  expect(await layoutOf('one cell\n')).toBeNull();
  expect(await layoutOf(Uint8Array.of(0xff, 0x2c, 0x31, 0x0a))).toBeNull();
  expect(await layoutOf(`${device},1`)).toBeNull();
  expect(await layoutOf('\n'.repeat(1 << 16), `${device},1\n`)).toBeNull();
});
