import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createThreadPool } from '../../threads/thread-pool.ts';
import type { Md5Tasks } from './md5-tasks.ts';

/** The MD5 of an upload, which comes in batches. */
export interface Md5 extends AsyncDisposable {
  /** Resolves when the batch is hashed. The next one must wait for that. */
  add(batch: readonly Uint8Array[]): Promise<void>;
  digest(): Promise<string>;
}

/** A smaller upload takes less of the event loop's time than sending it to a thread. */
const smallBytes = 1 << 20;
const size = Math.ceil(availableParallelism() / 2);
/** Its threads start when first needed, and keep no process alive. */
const pool = createThreadPool<Md5Tasks>(new URL('./md5-thread.ts', import.meta.url), size);
let uploads = 0;

/** Hashes a large upload in another thread, so that the event loop serves other requests meanwhile. */
export function startMd5(): Md5 {
  const upload = uploads++;
  const thread = upload % size;
  const own = createHash('md5');
  /** Decided by the first batch. */
  let isLarge: boolean | undefined;

  return {
    async add(batch) {
      const length = batch.reduce((sum, chunk) => sum + chunk.length, 0);
      const isFirst = isLarge === undefined;
      isLarge ??= length >= smallBytes;
      if (!isLarge) {
        for (const chunk of batch) own.update(chunk);
        return;
      }
      const bytes = joined(batch, length);
      await pool.run('add', { upload, isFirst, bytes }, { thread, transfer: [bytes.buffer] });
    },

    digest: async () =>
      isLarge ? await pool.run('digest', { upload }, { thread }) : own.digest('hex'),

    async [Symbol.asyncDispose]() {
      if (isLarge) await pool.run('forget', { upload }, { thread });
    },
  };
}

/** In memory of its own, which can be moved to a thread. */
function joined(batch: readonly Uint8Array[], length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const chunk of batch) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes;
}
