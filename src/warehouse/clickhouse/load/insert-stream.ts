import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { longTimeoutMs, type Server } from '../cluster/server.ts';

/** An insert whose blocks are sent while they are made. */
export interface InsertStream {
  /** Waits while the server is slower than the caller. */
  write(chunks: readonly Uint8Array[]): Promise<void>;
  /** Waits until the server has stored everything. */
  end(): Promise<void>;
}

/** How much waits to be sent. */
const bufferBytes = 2 << 20;

/**
 * The server writes a part each time it has this many rows, of 24 to 29 bytes. Fewer and larger parts take
 * fewer merges, but more memory.
 */
const rowsPerPart = 4 << 20;
const bytesPerPart = 128 << 20;

const settings = {
  min_insert_block_size_rows: rowsPerPart,
  min_insert_block_size_bytes: bytesPerPart,
  // The server must not drop a block because it equals an earlier one.
  insert_deduplicate: 0,
};

/** Begins with the first block, so a shard that gets no rows gets no insert. */
export function openInsert(server: Server, sql: string, signal: AbortSignal): InsertStream {
  const body = new PassThrough({ highWaterMark: bufferBytes });
  let inserted: Promise<void> | undefined;
  // A failed insert destroys its body, and reports the reason itself.
  body.on('error', () => {});

  function begin(): Promise<void> {
    const begun = server.insert(sql, body, { signal, timeoutMs: longTimeoutMs, settings });
    begun.catch(() => {});
    return begun;
  }

  return {
    async write(chunks) {
      inserted ??= begin();
      let hasSpace = true;
      for (const chunk of chunks) hasSpace = body.write(chunk);
      if (!hasSpace) await Promise.race([once(body, 'drain'), inserted]);
    },
    async end() {
      body.end();
      await inserted;
    },
  };
}
