import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlockArena } from './block-arena.ts';
import { newFileSlot, type Room } from './slots.ts';

/** The slots of one load: blocks of the arena, and a scratch file for what they cannot hold. */
export interface LoadRoom extends AsyncDisposable {
  readonly slotWords: number;
  /** What threads have to know. */
  handle(): Room;
  /** As above, with a scratch file. */
  handleWithFile(): Promise<Room>;
  availableBlocks(): number;
  takeBlocks(count: number, essential: boolean): Int32Array;
  /** As many as asked for, in memory as long as there is some. */
  takeSlots(count: number): Promise<Int32Array>;
  give(slots: Iterable<number>): void;
}

export function createLoadRoom(arena: BlockArena, directory: string): LoadRoom {
  const held = new Set<number>();
  const freeFileSlots: number[] = [];
  const fileSlots = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let scratch: Promise<FileHandle> | undefined;
  let scratchFd = -1;

  function handle(): Room {
    return { memory: arena.memory, slotWords: arena.blockWords, fileSlots, scratchFd };
  }

  async function handleWithFile(): Promise<Room> {
    scratch ??= openScratch(directory);
    scratchFd = (await scratch).fd;
    return handle();
  }

  function takeBlocks(count: number, essential: boolean): Int32Array {
    const blocks = arena.take(count, essential);
    for (const block of blocks) held.add(block);
    return blocks;
  }

  return {
    slotWords: arena.blockWords,
    handle,
    handleWithFile,
    availableBlocks: arena.available,
    takeBlocks,
    async takeSlots(count) {
      const blocks = takeBlocks(count, false);
      if (blocks.length === count) return blocks;
      const room = await handleWithFile();
      const slots = new Int32Array(count);
      slots.set(blocks);
      for (let i = blocks.length; i < count; i++) {
        slots[i] = freeFileSlots.pop() ?? newFileSlot(room);
      }
      return slots;
    },
    give(slots) {
      const blocks: number[] = [];
      for (const slot of slots) {
        if (slot < 0) freeFileSlots.push(slot);
        else if (held.delete(slot)) blocks.push(slot);
      }
      arena.give(blocks);
    },
    async [Symbol.asyncDispose]() {
      arena.give(held);
      held.clear();
      const opened = await scratch?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** Without a name from the start, so that it goes when it is closed, whatever happens. */
async function openScratch(directory: string): Promise<FileHandle> {
  const path = join(directory, `scratch-${randomUUID()}.tmp`);
  const handle = await open(path, 'wx+');
  try {
    await unlink(path);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}
