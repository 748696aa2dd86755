import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlockArena } from './block-arena.ts';
import { newSpillSlot, type ScratchHandle } from './slots.ts';

/** The slots of one load: blocks of the arena, and a spill file once these are used up. */
export interface ScratchSpace extends AsyncDisposable {
  readonly slotWords: number;
  /** For threads, which can then access the slots. */
  handle(): ScratchHandle;
  /** The same; creates the spill file if there is none. */
  handleWithSpillFile(): Promise<ScratchHandle>;
  availableBlocks(): number;
  takeBlocks(count: number, essential: boolean): Int32Array;
  /** Takes `count` slots, in memory as far as it is available. */
  takeSlots(count: number): Promise<Int32Array>;
  release(slots: Iterable<number>): void;
}

export function createScratchSpace(arena: BlockArena, directory: string): ScratchSpace {
  const held = new Set<number>();
  const freeFileSlots: number[] = [];
  const spillSlots = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let spillFile: Promise<FileHandle> | undefined;
  let spillFd = -1;

  function handle(): ScratchHandle {
    return { memory: arena.memory, slotWords: arena.blockWords, spillSlots, spillFd };
  }

  async function handleWithSpillFile(): Promise<ScratchHandle> {
    spillFile ??= openSpillFile(directory);
    spillFd = (await spillFile).fd;
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
    handleWithSpillFile,
    availableBlocks: arena.available,
    takeBlocks,
    async takeSlots(count) {
      const blocks = takeBlocks(count, false);
      if (blocks.length === count) return blocks;
      const scratch = await handleWithSpillFile();
      const slots = new Int32Array(count);
      slots.set(blocks);
      for (let i = blocks.length; i < count; i++) {
        slots[i] = freeFileSlots.pop() ?? newSpillSlot(scratch);
      }
      return slots;
    },
    release(slots) {
      const blocks: number[] = [];
      for (const slot of slots) {
        if (slot < 0) freeFileSlots.push(slot);
        else if (held.delete(slot)) blocks.push(slot);
      }
      arena.release(blocks);
    },
    async [Symbol.asyncDispose]() {
      arena.release(held);
      held.clear();
      const opened = await spillFile?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** Unlinked at once, so that it is deleted when it is closed, even after a crash. */
async function openSpillFile(directory: string): Promise<FileHandle> {
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
