import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { watch } from './watch.ts';

/** A terminal that keeps what is written to it. */
function paper() {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 80, write: (text: string) => written.push(text) };
  return { written, terminal: stream as unknown as WriteStream };
}

test('it looks until it sees, showing how it stands, and leaves the line empty', async () => {
  const { written, terminal } = paper();
  let looks = 0;
  const seen = await watch(terminal, async (show) => {
    looks++;
    if (looks === 3) return 'there';
    show(`look ${looks}`);
    return undefined;
  });
  expect(seen).toBe('there');
  expect(written).toEqual(['\r\x1b[Klook 1', '\r\x1b[Klook 2', '\r\x1b[K']);
});

test('a fault at the first look is one, later it may pass', async () => {
  const { written, terminal } = paper();
  const refused = watch(terminal, async () => {
    throw new Error('no such audience');
  });
  await expect(refused).rejects.toThrow('no such audience');
  let looks = 0;
  const seen = await watch(terminal, async () => {
    looks++;
    if (looks === 2) throw new Error('connection refused');
    return looks === 3 ? 'there' : undefined;
  });
  expect(seen).toBe('there');
  expect(written.join('')).toContain('does not answer, trying again');
});
