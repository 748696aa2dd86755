import { describe, expect, test } from 'vitest';
import { readCsvRows } from './csv-rows.ts';

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function rowsOf(content: string | Uint8Array, chunkBytes = 5, columns = ['ID', 'Hash']) {
  const bytes = Buffer.from(content);
  const batches = await Array.fromAsync(readCsvRows('x.csv', inChunks(bytes, chunkBytes), columns));
  return batches.flat();
}

const expected = [
  ['a1', 'h1'],
  ['b2', 'h2'],
];

describe('rows of a list', () => {
  test.each<[string, string | Uint8Array]>([
    ['LF', 'ID,Hash\na1,h1\nb2,h2\n'],
    ['CR LF', 'ID,Hash\r\na1,h1\r\nb2,h2\r\n'],
    ['CR', 'ID,Hash\ra1,h1\rb2,h2\r'],
    ['no line ending at the end', 'ID,Hash\na1,h1\nb2,h2'],
    ['blank lines', '\nID,Hash\n\na1,h1\n \r\nb2,h2\n\n'],
    ['a byte order mark', '\ufeffID,Hash\na1,h1\nb2,h2\n'],
    ['UTF-16, little end first', Buffer.from('\ufeffID,Hash\r\na1,h1\r\nb2,h2', 'utf16le')],
    ['UTF-16, big end first', Buffer.from('\ufeffID,Hash\na1,h1\nb2,h2', 'utf16le').swap16()],
    ['quotes', '"ID","Hash"\n"a1","h1"\n"b2",h2\n'],
    ['white space', ' ID , Hash\n a1,h1 \n"b2" , "h2"\n'],
    ['other columns, in another order and case', 'hash,more,id\nh1,x,a1\nh2,"y,""z""",b2\n'],
  ])('are read with %s', async (_, content) => {
    for (const chunkBytes of [1, 2, 7, 1_000]) {
      expect(await rowsOf(content, chunkBytes)).toEqual(expected);
    }
  });

  test('are null if they cannot be read', async () => {
    // A pattern that can match white space in several ways takes minutes for such lines.
    const spaces = `${' '.repeat(990)}"x\n`.repeat(300);
    const rows = await rowsOf(`ID,Hash\na1\n"a1,h1\n"a"1,h1\n${spaces}a1,h1\n`);
    expect(rows).toEqual([...new Array(303).fill(null), ['a1', 'h1']]);
  });

  test('are none in a list with a header only', async () => {
    expect(await rowsOf('ID,Hash\n')).toEqual([]);
    expect(await rowsOf('ID,Hash')).toEqual([]);
  });

  test.each<[string, string | Uint8Array, string]>([
    ['no header', '', 'no header'],
    ['one byte', 'I', 'does not begin with the header ID,Hash'],
    ['another header', 'Id,Status\na1,3\n', 'does not begin with the header ID,Hash'],
    ['text that is not UTF-8', Uint8Array.of(0x49, 0x44, 0xff, 0x0a), 'not text in UTF-8'],
    ['half a character at its end', Uint8Array.of(0x49, 0xc3), 'not text in UTF-8'],
    ['a line without end', 'x'.repeat(70_000), 'line of more than'],
  ])('are refused with %s', async (_, content, reason) => {
    await expect(rowsOf(content, 1_000)).rejects.toThrow(reason);
  });
});
