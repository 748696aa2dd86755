import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { watch } from './watch.ts';

/** A terminal that records its output. */
function recordingTerminal() {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 80, write: (text: string) => written.push(text) };
  return { written, terminal: stream as unknown as WriteStream };
}

test('it polls until there is a result, shows the status and clears the line', async () => {
  const { written, terminal } = recordingTerminal();
  let polls = 0;
  const result = await watch(terminal, async (show) => {
    polls++;
    if (polls === 3) return 'found';
    show(`poll ${polls}`);
    return undefined;
  });
  expect(result).toBe('found');
  expect(written).toEqual(['\r\x1b[Kpoll 1', '\r\x1b[Kpoll 2', '\r\x1b[K']);
});

test('an error of the first poll is final, later errors are retried', async () => {
  const { written, terminal } = recordingTerminal();
  const refused = watch(terminal, async () => {
    throw new Error('no such audience');
  });
  await expect(refused).rejects.toThrow('no such audience');
  let polls = 0;
  const result = await watch(terminal, async () => {
    polls++;
    if (polls === 2) throw new Error('connection refused');
    return polls === 3 ? 'found' : undefined;
  });
  expect(result).toBe('found');
  expect(written.join('')).toContain('is unavailable, retrying');
});
