import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { blockBytes } from './blocks.ts';
import { writeContent } from './write-content.ts';

/** A file that notes its syncs. */
function notingFile() {
  const calls: string[] = [];
  return {
    calls,
    datasync: async () => void calls.push('datasync'),
    sync: async () => void calls.push('sync'),
  };
}

async function* blocksOf(count: number, taken: (n: number) => void): AsyncGenerator<Buffer> {
  for (let n = 1; n <= count; n++) {
    taken(n);
    yield Buffer.alloc(blockBytes, n);
  }
}

test('content is stored in order, in whatever pieces it comes, even if their memory is reused', async () => {
  const bytes = randomBytes(5 * blockBytes + 12_345);
  const memory = Buffer.alloc(3 * blockBytes);
  async function* content() {
    let from = 0;
    for (const length of [1, blockBytes - 1, 0, 3 * blockBytes, 7, blockBytes, 12_338]) {
      bytes.copy(memory, 0, from, from + length);
      from += length;
      yield memory.subarray(0, length);
    }
  }
  const stored = Buffer.alloc(bytes.length);
  const file = notingFile();
  const size = await writeContent(file, content(), async (block, position) => {
    await sleep(1);
    expect(file.calls).not.toContain('sync');
    stored.set(block, position);
  });
  expect(size).toBe(bytes.length);
  expect(bytes.equals(stored)).toBe(true);
  expect(file.calls).toEqual(['sync']);
});

test('content of known size, even none, is stored', async () => {
  for (const text of ['', 'x', 'a few bytes']) {
    let stored = '';
    const content = Object.assign(
      (async function* () {
        yield Buffer.from(text);
      })(),
      { size: text.length },
    );
    await writeContent(notingFile(), content, async (block) => {
      stored += Buffer.from(block).toString();
    });
    expect(stored).toBe(text);
  }
});

test('long content is synced along the way', async () => {
  const file = notingFile();
  await writeContent(
    file,
    blocksOf(150, () => {}),
    async () => {},
  );
  expect(file.calls).toEqual(['datasync', 'datasync', 'sync']);
});

test('blocks are filled while others are stored, but only eight are in use', async () => {
  let taken = 0;
  let stored = 0;
  const ahead: number[] = [];
  const content = blocksOf(30, (n) => {
    taken = n;
  });
  await writeContent(notingFile(), content, async () => {
    await sleep(2);
    ahead.push(taken - stored);
    stored += 1;
  });
  expect(stored).toBe(30);
  expect(Math.max(...ahead)).toBeLessThanOrEqual(9);
  expect(Math.max(...ahead)).toBeGreaterThan(2);
});

test('a block that cannot be stored stops reading and closes the content', async () => {
  let taken = 0;
  let closed = false;
  async function* content() {
    try {
      yield* blocksOf(100, (n) => {
        taken = n;
      });
    } finally {
      closed = true;
    }
  }
  const full = () => Promise.reject(new Error('disk full'));
  await expect(writeContent(notingFile(), content(), full)).rejects.toThrow('disk full');
  expect(taken).toBeLessThan(15);
  expect(closed).toBe(true);
});

test('an error of the content is reported only after the blocks before it are stored', async () => {
  let storing = 0;
  async function slow() {
    storing += 1;
    await sleep(20);
    storing -= 1;
  }
  async function* broken() {
    yield Buffer.alloc(blockBytes);
    yield Buffer.alloc(blockBytes);
    throw new Error('client disconnected');
  }
  await expect(writeContent(notingFile(), broken(), slow)).rejects.toThrow('client disconnected');
  expect(storing).toBe(0);
});

test('a write that fails gives back the block that it was filling', async () => {
  const used = async (content: () => AsyncIterable<Buffer>) => {
    const buffers = new Set<ArrayBufferLike>();
    const note = async (block: Uint8Array) => void buffers.add(block.buffer);
    await writeContent(notingFile(), content(), note).catch(() => {});
    return buffers;
  };
  const [kept] = await used(() => blocksOf(1, () => {}));
  async function* broken() {
    yield Buffer.alloc(1);
    throw new Error('client disconnected');
  }
  await used(broken);
  expect(await used(() => blocksOf(1, () => {}))).toContain(kept);
});

test('many writes at once have fewer blocks', async () => {
  let inUse = 0;
  let most = 0;
  const { promise: allInUse, resolve: use } = Promise.withResolvers<void>();
  const { promise: allBegun, resolve: begin } = Promise.withResolvers<void>();
  let begun = 0;
  async function* content() {
    begun += 1;
    if (begun === 64) begin();
    await allBegun;
    for (let n = 0; n < 4; n++) yield Buffer.alloc(blockBytes);
  }
  async function store() {
    inUse += 1;
    most = Math.max(most, inUse);
    if (inUse === 128) setTimeout(use, 20);
    await allInUse;
    inUse -= 1;
  }
  await Promise.all(Array.from({ length: 64 }, () => writeContent(notingFile(), content(), store)));
  expect(most).toBe(128);
});
