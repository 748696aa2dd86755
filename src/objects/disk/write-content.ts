import type { FileHandle } from 'node:fs/promises';
import type { SpaceCheck } from '../../domain/disk-reserve.ts';
import type { Content } from '../content.ts';
import { type Block, openBlocks } from './blocks.ts';

/** Syncing along the way keeps the final sync short. */
const bytesPerSync = 32 << 20;

/**
 * Stores the content durably in an empty file and returns its size. The content is copied into blocks of
 * memory. While `store` works on some of them, the next ones are filled.
 */
export async function writeContent(
  file: Pick<FileHandle, 'datasync' | 'sync'>,
  content: Content,
  store: (block: Block, position: number) => Promise<void>,
  checkSpace: SpaceCheck = () => undefined,
): Promise<number> {
  using blocks = openBlocks(content.size);
  /** One promise for each full block that is in use, in the order of the content. */
  const busy: Promise<void>[] = [];
  let size = 0;
  let unsynced = 0;
  let syncing = Promise.resolve();

  async function nextBlock(): Promise<Block> {
    while (busy.length >= blocks.most()) await busy.shift();
    return blocks.take();
  }

  try {
    for await (const block of inBlocks(content, nextBlock)) {
      await checkSpace(block.length);
      busy.push(observed(store(block, size).finally(() => blocks.giveBack(block))));
      size += block.length;
      unsynced += block.length;
      if (unsynced < bytesPerSync) continue;
      unsynced = 0;
      syncing = observed(syncing.then(() => file.datasync()));
    }
    await Promise.all([...busy, syncing]);
    await file.sync();
    return size;
  } finally {
    // The file must not be closed during a write.
    await Promise.allSettled([...busy, syncing]);
  }
}

/** The content in blocks, all of them full except the last. */
async function* inBlocks(
  content: AsyncIterable<Uint8Array>,
  nextBlock: () => Promise<Block>,
): AsyncGenerator<Block> {
  let block: Block | undefined;
  let filled = 0;
  for await (const chunk of content) {
    for (let taken = 0; taken < chunk.length; ) {
      block ??= await nextBlock();
      const part = chunk.subarray(taken, taken + block.length - filled);
      block.set(part, filled);
      taken += part.length;
      filled += part.length;
      if (filled < block.length) continue;
      yield block;
      block = undefined;
      filled = 0;
    }
  }
  if (block) yield block.subarray(0, filled);
}

/** For a promise that is awaited later. Until then its rejection is not an unhandled one. */
function observed<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
