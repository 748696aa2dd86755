import { describe, expect, test } from 'vitest';
import { type ZippedFile, zip } from '../../test/support/drop/zip-writer.ts';
import { ArchiveFault } from './archive-fault.ts';
import type { ByteSource } from './byte-source.ts';
import { readZipEntry } from './zip.ts';
import { readZipDirectory } from './zip-directory.ts';

const text = 'ID,Hash\n'.repeat(1_000);

/** As an object store reads: in chunks whose memory is used again. */
function source(bytes: Uint8Array, chunkBytes = 100): ByteSource {
  return {
    size: bytes.length,
    async *read(offset) {
      const buffer = Buffer.alloc(chunkBytes);
      for (let at = offset; at < bytes.length; at += chunkBytes) {
        const chunk = bytes.subarray(at, at + chunkBytes);
        buffer.fill(0).set(chunk);
        yield buffer.subarray(0, chunk.length);
      }
    },
  };
}

async function unzip(bytes: Uint8Array): Promise<[string, string][]> {
  const files: [string, string][] = [];
  for (const entry of await readZipDirectory(source(bytes))) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of readZipEntry(source(bytes), entry)) chunks.push(chunk);
    files.push([entry.name, Buffer.concat(chunks).toString()]);
  }
  return files;
}

describe('a ZIP archive', () => {
  test.each<[string, Partial<ZippedFile>, object]>([
    ['deflated', {}, {}],
    ['stored', { isStored: true }, {}],
    ['with sizes after the content', { hasDescriptor: true }, {}],
    ['with sizes of 64 bits', { isWide: true }, { isWide: true }],
    ['with a comment', {}, { comment: 'PK\x05\x06 and more'.repeat(20) }],
  ])('is read if it is %s', async (_, members, options) => {
    const files = [
      { name: 'a.csv', content: text, ...members },
      { name: 'b.csv', content: '', ...members },
    ];
    expect(await unzip(zip(files, options))).toEqual([
      ['a.csv', text],
      ['b.csv', ''],
    ]);
  });

  test('without files is read', async () => {
    expect(await unzip(zip([]))).toEqual([]);
  });

  test.each<[string, Partial<ZippedFile>, string]>([
    ['a path', { name: '../../etc/passwd' }, 'must not be in folders'],
    ['a folder', { name: 'lists/a.csv' }, 'must not be in folders'],
    ['a path of Windows', { name: '..\\a.csv' }, 'must not be in folders'],
    ['no name', { name: '' }, 'must not be in folders'],
    ['only dots as its name', { name: '..' }, 'must not be in folders'],
    ['a NUL in its name', { name: 'a.csv\0.exe' }, 'must not be in folders'],
    ['encryption', { flags: 1 }, 'encrypted'],
    ['another compression', { method: 12 }, 'method 12'],
    ['another size', { declaredBytes: 7 }, 'damaged'],
    ['a larger size', { declaredBytes: 100_000 }, 'damaged'],
    ['a size as of a bomb', { declaredBytes: 2 ** 31 }, 'more than 100 times'],
    ['another checksum', { declaredChecksum: 1 }, 'damaged'],
    ['another name in its header', { localName: 'b.csv' }, 'two different names'],
  ])('is refused if a file has %s', async (_, members, reason) => {
    const unzipped = unzip(zip([{ name: 'a.csv', content: text, ...members }]));
    await expect(unzipped).rejects.toThrow(reason);
    await expect(unzipped).rejects.toBeInstanceOf(ArchiveFault);
  });

  test('is refused if files overlap or share a name', async () => {
    const one = { name: 'a.csv', content: text };
    const shared = { name: 'b.csv', content: text, sharesContent: true };
    await expect(unzip(zip([one, shared]))).rejects.toThrow('overlaps');
    await expect(unzip(zip([one, one]))).rejects.toThrow('two files');
    const many = Array.from({ length: 1_001 }, (_, n) => ({ name: `${n}.csv`, content: '' }));
    await expect(unzip(zip(many))).rejects.toThrow('1001 files');
  });

  test('is refused if it is cut off anywhere, or damaged', async () => {
    const bytes = zip([{ name: 'a.csv', content: text }]);
    for (let end = 0; end < bytes.length; end += 1) {
      await expect(unzip(bytes.subarray(0, end)), `cut at ${end}`).rejects.toBeInstanceOf(
        ArchiveFault,
      );
    }
    // Inside the compressed content.
    const damaged = Buffer.from(bytes);
    damaged.fill(0xff, 38, 48);
    await expect(unzip(damaged)).rejects.toBeInstanceOf(ArchiveFault);
  });

  test('whose reading fails is not taken for a damaged one', async () => {
    const bytes = zip([{ name: 'a.csv', content: text }]);
    const [entry] = await readZipDirectory(source(bytes));
    let reads = 0;
    const failing: ByteSource = {
      size: bytes.length,
      async *read(offset) {
        reads += 1;
        if (reads > 2) throw new Error('the store is down');
        yield* source(bytes).read(offset);
      },
    };
    const reading = Array.fromAsync(readZipEntry(failing, entry!));
    await expect(reading).rejects.toThrow('the store is down');
    await expect(reading).rejects.not.toBeInstanceOf(ArchiveFault);
  });
});
