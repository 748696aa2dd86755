import { describe, expect, it } from 'vitest';
import { createIndexCache } from './index-cache.ts';
import { bytesPerPage } from './page-index.ts';

function contentOf(pages: number, byte: number): Uint8Array {
  return new Uint8Array(pages * bytesPerPage).fill(byte);
}

describe('createIndexCache', () => {
  it('returns an added index with the first page of each row group', () => {
    const cache = createIndexCache(1e7);
    const added = cache.add('a', Uint32Array.of(2, 3), contentOf(5, 1));
    cache.add('b', Uint32Array.of(1), contentOf(1, 2));
    expect(cache.get('a')).toBe(added);
    expect(added).toMatchObject({ pages: 5, rowGroupStarts: [0, 2] });
    expect(added.devices).toEqual(new Uint32Array(5).fill(0x01010101));
    expect(added.spans).toEqual(new Uint32Array(40).fill(0x01010101));
    expect(cache.get('b')!.bytes).toEqual(Uint32Array.of(0x02020202));
    expect(cache.get('c')).toBeUndefined();
  });

  it('keeps many small indexes in few buffers', () => {
    const cache = createIndexCache(1e9);
    const memories = new Set<ArrayBufferLike>();
    for (let i = 0; i < 100_000; i++) {
      const { spans, devices, offsets, bytes } = cache.add(
        `${i}`,
        Uint32Array.of(1),
        contentOf(1, 1),
      );
      for (const { buffer } of [spans, devices, offsets, bytes]) memories.add(buffer);
    }
    expect(memories.size).toBeLessThan(20);
  });

  it('evicts the least recently used indexes, small or large', () => {
    const maxBytes = 32 * 1024 * 1024;
    for (const pages of [1, 1_000]) {
      const cache = createIndexCache(maxBytes);
      const content = contentOf(pages, 1);
      const most = maxBytes / (content.length + 1024);
      for (let i = 0; i < 2 * most; i++) {
        cache.add(`${i}`, Uint32Array.of(pages), content);
        expect(cache.get('0')).toBeDefined();
      }
      let kept = 0;
      for (let i = 0; i < 2 * most; i++) if (cache.get(`${i}`)) kept++;
      expect(kept).toBeLessThanOrEqual(most);
      expect(kept).toBeGreaterThan(most / 2);
    }
  });

  it('keeps an index larger than the whole cache until the next one is added', () => {
    const cache = createIndexCache(10_000);
    cache.add('large', Uint32Array.of(20_000), contentOf(20_000, 1));
    expect(cache.get('large')).toBeDefined();
    cache.add('other', Uint32Array.of(1), contentOf(1, 1));
    expect(cache.get('large')).toBeUndefined();
    expect(cache.get('other')).toBeDefined();
  });
});
