import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { ContentFault } from './content-fault.ts';
import { readContent } from './file-content.ts';
import { createInflaters } from './inflaters.ts';
import { prefetch } from './prefetch-source.ts';
import { createReadAhead } from './read-ahead.ts';
import { createSharedBuffers } from './shared-buffers.ts';

const inflaters = createInflaters(1);
const buffers = createReadAhead(createSharedBuffers(0), 1 << 24).open(new AbortController().signal);

afterAll(() => inflaters[Symbol.asyncDispose]());

const text = 'a line of text\n'.repeat(500);
const gzip = gzipSync(text);
const zstd = zstdCompressSync(text);
const skippable = Buffer.from([0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
const zeros = Buffer.alloc(1000);

async function contentOf(
  pieces: readonly Uint8Array[],
  compressed?: boolean,
): Promise<string | string[]> {
  /** Overwrites chunks that it may reuse, as a source that reuses memory does. */
  async function* source(): AsyncGenerator<Uint8Array> {
    const given: Uint8Array[] = [];
    for (const piece of pieces) {
      given.at(-2)?.fill(0xff);
      const chunk = Uint8Array.from(piece);
      given.push(chunk);
      yield chunk;
    }
  }
  const content: Uint8Array[] = [];
  const options = { compressed, compressedBytes: Buffer.concat(pieces).length };
  try {
    const pulled = prefetch(source(), new AbortController().signal);
    for await (const piece of readContent(pulled, options, inflaters, buffers)) {
      content.push(Uint8Array.from(piece));
    }
  } catch (error) {
    if (error instanceof ContentFault) return [error.code, error.message];
    throw error;
  }
  return Buffer.concat(content).toString();
}

function inBytes(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}

describe('compression is detected from the content', () => {
  test.each([
    ['plain', [Buffer.from(text)], text],
    ['nothing', [], ''],
    ['one byte of gzip', [gzip.subarray(0, 1)], '\x1f'],
    ['gzip', [gzip], text],
    ['gzip, byte by byte', inBytes(gzip), text],
    ['gzip of nothing', [gzipSync('')], ''],
    ['gzip of several members', [Buffer.concat([gzip, gzipSync(''), gzip])], text + text],
    ['gzip of members in pieces', [gzip, gzip, gzip], text + text + text],
    ['gzip with padding', [Buffer.concat([gzip, zeros])], text],
    ['gzip with padding in pieces', [gzip, zeros, zeros], text],
    ['zstd', [zstd], text],
    ['zstd, byte by byte', inBytes(zstd), text],
    ['zstd of several frames', [Buffer.concat([zstd, zstd, zstd])], text + text + text],
    ['zstd of frames in pieces', [zstd, zstd], text + text],
    ['zstd with frames to skip', [Buffer.concat([skippable, zstd, skippable, zstd])], text + text],
  ])('%s', async (_, pieces, content) => {
    expect(await contentOf(pieces)).toBe(content);
  });
});

describe('the `compressed` option is enforced', () => {
  test('true accepts gzip', async () => {
    expect(await contentOf([gzip], true)).toBe(text);
  });

  test('false accepts plain text', async () => {
    expect(await contentOf([Buffer.from(text)], false)).toBe(text);
  });

  test.each([
    ['plain text', Buffer.from(text)],
    ['nothing', Buffer.alloc(0)],
    ['zstd', zstd],
  ])('true rejects %s', async (_, bytes) => {
    const [code, message] = await contentOf([bytes], true);
    expect(code).toBe('not_compressed');
    expect(message).toContain('is not gzip');
  });

  test.each([
    ['gzip', gzip],
    ['zstd', zstd],
  ])('false rejects %s', async (_, bytes) => {
    const [code, message] = await contentOf([bytes], false);
    expect(code).toBe('bad_compression');
    expect(message).toContain('is compressed');
  });
});

function withBitFlipped(bytes: Buffer, at: number): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[at]! ^= 1;
  return damaged;
}

describe('damage is detected', () => {
  test.each([
    ['gzip truncated', [gzip.subarray(0, 30)]],
    ['gzip without its checksum', [gzip.subarray(0, -8)]],
    ['gzip without its last byte', [gzip.subarray(0, -1)]],
    ['a second member truncated', [Buffer.concat([gzip, gzip.subarray(0, 5)])]],
    ['a second member of one byte', [gzip, gzip.subarray(0, 1)]],
    ['a wrong checksum', [withBitFlipped(gzip, gzip.length - 6)]],
    ['a wrong length', [withBitFlipped(gzip, gzip.length - 1)]],
    ['other bytes after gzip', [Buffer.concat([gzip, Buffer.from('more')])]],
    ['other bytes in a piece of its own', [gzip, Buffer.from('more')]],
    ['other bytes after padding', [Buffer.concat([gzip, zeros, Buffer.from('more')])]],
    ['other bytes after padding, in pieces', [gzip, zeros, Buffer.from('more')]],
    ['only the magic bytes', [gzip.subarray(0, 2)]],
    ['zstd truncated', [zstd.subarray(0, 20)]],
    ['zstd without its last byte', [zstd.subarray(0, -1)]],
    ['a second frame truncated', [Buffer.concat([zstd, zstd.subarray(0, 6)])]],
    ['other bytes after zstd', [Buffer.concat([zstd, Buffer.from('more')])]],
    ['padding after zstd', [Buffer.concat([zstd, zeros])]],
  ])('%s', async (_, pieces) => {
    const [code, message] = await contentOf(pieces);
    expect(code).toBe('bad_compression');
    expect(message).toContain('damaged or truncated');
  });
});

describe.each([
  ['plain', Buffer.from(text)],
  ['gzip', gzip],
  ['zstd', zstd],
])('a source of %s', (_, bytes) => {
  const error = Object.assign(new Error('storage is gone'), { code: 'Z_DATA_ERROR' });

  test.each([0, 1, 40])('that fails after %i bytes rejects with its own error', async (count) => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      if (count > 0) yield bytes.subarray(0, count);
      throw error;
    }
    const pulled = prefetch(failing(), new AbortController().signal);
    const reading = Array.fromAsync(
      readContent(pulled, { compressed: undefined }, inflaters, buffers),
    );
    await expect(reading).rejects.toBe(error);
  });
});
