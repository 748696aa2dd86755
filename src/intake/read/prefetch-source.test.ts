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

test('hands over the chunks in order, and what was put back first', async () => {
  const source = prefetch(of('a', 'b'), never);
  expect(String(await source.next())).toBe('a');
  source.putBack(Buffer.from('rest'));
  expect(String(await source.next())).toBe('rest');
  expect(String(await source.next())).toBe('b');
  expect(await source.next()).toBeUndefined();
  expect(await source.next()).toBeUndefined();
});

test('an error of the source is thrown on as it is, in its turn', async () => {
  const error = new Error('storage is gone');
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    throw error;
  }
  const source = prefetch(failing(), never);
  expect(String(await source.next())).toBe('a');
  await expect(source.next()).rejects.toBe(error);
});

test('closing it closes the source, which may have more', async () => {
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
  test('ends the waiting for a source that is stuck, and the closing of it', async () => {
    const controller = new AbortController();
    const source = prefetch(stuck(), controller.signal);
    await source.next();
    const waiting = source.next();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(source.next()).rejects.toBe(reason);
    await source.close();
  });

  test('before the beginning asks for nothing', async () => {
    const reason = new Error('enough');
    let asked = false;
    async function* asking(): AsyncGenerator<Uint8Array> {
      asked = true;
      yield Buffer.from('a');
    }
    const source = prefetch(asking(), AbortSignal.abort(reason));
    await expect(source.next()).rejects.toBe(reason);
    expect(asked).toBe(false);
  });
});
