import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeBatched } from './write-batched.ts';

let folder: string;
let file: FileHandle;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-write-'));
  file = await open(join(folder, 'x'), 'wx');
});
afterEach(async () => {
  await file.close();
  await rm(folder, { recursive: true });
});

async function* batches(count: number, taken: (n: number) => void): AsyncGenerator<Buffer> {
  for (let n = 1; n <= count; n++) {
    taken(n);
    yield Buffer.alloc(4 << 20, n);
  }
}

/** The file with a replaced `writev`. */
function writingBy(writev: (batch: Uint8Array[]) => Promise<{ bytesWritten: number }>): FileHandle {
  return {
    writev,
    appendFile: file.appendFile.bind(file),
    datasync: file.datasync.bind(file),
    sync: file.sync.bind(file),
  } as unknown as FileHandle;
}

test('one batch is read ahead while another is written, and no more', async () => {
  let taken = 0;
  let written = 0;
  const ahead: number[] = [];
  const slow = writingBy(async (batch) => {
    await sleep(5);
    ahead.push(taken - written);
    written += 1;
    return { bytesWritten: Buffer.concat(batch).length };
  });
  await writeBatched(
    slow,
    batches(10, (n) => {
      taken = n;
    }),
    () => {},
  );
  expect(written).toBe(10);
  expect(Math.max(...ahead)).toBe(2);
});

test('the rest of a partly written batch is written after it', async () => {
  const bytes = randomBytes(2_500_000);
  const partial = writingBy(async (batch) => file.writev([batch[0]!.subarray(0, 1_000)]));
  const chunks = [bytes.subarray(0, 1_100_000), bytes.subarray(1_100_000)];
  const seen: number[] = [];
  const size = await writeBatched(
    partial,
    (async function* () {
      yield* chunks;
    })(),
    (chunk) => seen.push(chunk.length),
  );
  expect(size).toBe(bytes.length);
  expect(seen).toEqual(chunks.map(({ length }) => length));
  expect((await readFile(join(folder, 'x'))).equals(bytes)).toBe(true);
});

test('a failed write stops reading and closes the content', async () => {
  let taken = 0;
  let closed = false;
  async function* content() {
    try {
      yield* batches(100, (n) => {
        taken = n;
      });
    } finally {
      closed = true;
    }
  }
  const full = writingBy(() => Promise.reject(new Error('disk full')));
  await expect(writeBatched(full, content(), () => {})).rejects.toThrow('disk full');
  expect(taken).toBeLessThan(5);
  expect(closed).toBe(true);
});

test('an error of the content is reported only after the current write has ended', async () => {
  let writing = false;
  const slow = writingBy(async () => {
    writing = true;
    await sleep(20);
    writing = false;
    return { bytesWritten: 1 << 20 };
  });
  async function* broken() {
    yield Buffer.alloc(1 << 20);
    throw new Error('client disconnected');
  }
  await expect(writeBatched(slow, broken(), () => {})).rejects.toThrow('client disconnected');
  expect(writing).toBe(false);
});

test('many writes at once have smaller batches', async () => {
  const sizes: number[] = [];
  const noting = writingBy(async (batch) => {
    const { length } = Buffer.concat(batch);
    sizes.push(length);
    return { bytesWritten: length };
  });
  const { promise: allBegun, resolve: begin } = Promise.withResolvers<void>();
  let begun = 0;
  async function* content() {
    begun += 1;
    if (begun === 64) begin();
    await allBegun;
    for (let n = 0; n < 16; n++) yield Buffer.alloc(64 << 10);
  }
  await Promise.all(Array.from({ length: 64 }, () => writeBatched(noting, content(), () => {})));
  expect(Math.max(...sizes)).toBe(512 << 10);
});
