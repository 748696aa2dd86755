import type { FileHandle } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { createThreadPool } from '../../threads/thread-pool.ts';
import type { ChecksumName } from '../checksum-algorithms.ts';
import { type Digests, startDigests } from '../content.ts';
import { type Block, blockBytes } from './blocks.ts';
import type { WriteTasks } from './write-tasks.ts';

const mostThreads = 4;

/** Writes one file and computes checksums of its content. */
interface FileWriter extends Disposable {
  /**
   * Blocks come in the order of the content, and only the last one may be shorter than others. The block
   * must not change and the file must not be closed until this settles.
   */
  store(block: Block, position: number): Promise<void>;
  /** After the last block is stored. */
  finish(): Promise<Digests>;
}

/**
 * Threads that write files and compute their checksums, so that large uploads do not keep the event loop
 * busy. They start when first needed, and do not keep the process alive.
 */
export function createWriteThreads() {
  const program = new URL('./write-thread.ts', import.meta.url);
  const size = Math.min(mostThreads, availableParallelism());
  const pool = createThreadPool<WriteTasks>(program, size);
  /** How many files each thread works on. */
  const loads = Array.from({ length: size }, () => 0);
  let lastId = 0;

  return {
    open(file: FileHandle, names: readonly ChecksumName[]): FileWriter {
      const id = ++lastId;
      const short = startDigests(names);
      let thread: number | undefined;

      function begin(): number {
        const chosen = loads.indexOf(Math.min(...loads));
        loads[chosen]!++;
        // If it fails, what follows fails as well.
        pool.run('begin', { id, fd: file.fd, names }, { thread: chosen }).catch(() => {});
        return chosen;
      }

      return {
        async store(bytes, position) {
          if (thread === undefined && bytes.length < blockBytes) {
            // A file of less than a block is not worth a thread.
            short.update(bytes);
            await writeAll(file, bytes, position);
            return;
          }
          thread ??= begin();
          await pool.run('store', { id, bytes, position }, { thread });
        },
        finish: async () =>
          thread === undefined ? short.finish() : pool.run('finish', id, { thread }),
        [Symbol.dispose]() {
          if (thread === undefined) return;
          loads[thread]!--;
          pool.run('drop', id, { thread }).catch(() => {});
        },
      };
    },
  };
}

/** A system call may write only part of the bytes, for example when the disk is nearly full. */
async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const length = bytes.length - from;
    const { bytesWritten } = await file.write(bytes, from, length, position + from);
    from += bytesWritten;
  }
}
