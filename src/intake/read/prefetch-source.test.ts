import { describe, expect, test } from 'vitest';
import { prefetch } from './prefetch-source.ts';

const never = new AbortController().signal;

async function* of(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* stuck(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a');
  await new Promise(() => {});
}

test('returns the chunks in order, and first those that were put back', async () => {
  const source = prefetch(of('a', 'b'), never);
  expect(String(await source.next())).toBe('a');
  source.putBack(Buffer.from('rest'));
  expect(String(await source.next())).toBe('rest');
  expect(String(await source.next())).toBe('b');
  expect(await source.next()).toBeUndefined();
  expect(await source.next()).toBeUndefined();
});

test('an error of the source is thrown unchanged, after the chunks before it', async () => {
  const error = new Error('storage unavailable');
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    throw error;
  }
  const source = prefetch(failing(), never);
  expect(String(await source.next())).toBe('a');
  await expect(source.next()).rejects.toBe(error);
});

test('close closes the source before its end', async () => {
  let closed = false;
  async function* closable(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.from('a');
    } finally {
      closed = true;
    }
  }
  const source = prefetch(closable(), never);
  await source.next();
  await source.close();
  expect(closed).toBe(true);
});

describe('an abort', () => {
  test('does not wait for a stuck source, nor for its close', async () => {
    const controller = new AbortController();
    const source = prefetch(stuck(), controller.signal);
    await source.next();
    const waiting = source.next();
    const reason = new Error('stopped');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(source.next()).rejects.toBe(reason);
    await source.close();
  });

  test('before the start requests nothing', async () => {
    const reason = new Error('stopped');
    let requested = false;
    async function* watched(): AsyncGenerator<Uint8Array> {
      requested = true;
      yield Buffer.from('a');
    }
    const source = prefetch(watched(), AbortSignal.abort(reason));
    await expect(source.next()).rejects.toBe(reason);
    expect(requested).toBe(false);
  });
});
