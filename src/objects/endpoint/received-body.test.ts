import { expect, test } from 'vitest';
import { receive } from './received-body.ts';

async function* bodyOf(...chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

test('a chunk is freed when the next one is requested', async () => {
  const [first, second] = [Buffer.alloc(100_000, 1), Buffer.alloc(50_000, 2)];
  const chunks = receive(bodyOf(first, second));
  expect((await chunks.next()).value).toEqual(Buffer.alloc(100_000, 1));
  expect((await chunks.next()).value).toEqual(Buffer.alloc(50_000, 2));
  expect([first.length, second.length]).toEqual([0, 50_000]);
});

test('memory that a chunk shares with others is not freed', async () => {
  const both = Buffer.from('onetwo');
  const seen: string[] = [];
  for await (const chunk of receive(bodyOf(both.subarray(0, 3), both.subarray(3)))) {
    seen.push(String(chunk));
  }
  expect(seen).toEqual(['one', 'two']);
  expect(String(both)).toBe('onetwo');
});

test('other events are served while a body is read', async () => {
  let isServed = false;
  setImmediate(() => {
    isServed = true;
  });
  const served: boolean[] = [];
  const chunks = Array.from({ length: 8 }, () => Buffer.alloc(64 << 10));
  for await (const _ of receive(bodyOf(...chunks))) served.push(isServed);
  expect(served).toEqual([false, false, false, false, true, true, true, true]);
});
