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
  const chunks = createChunkQueue(bufferBytes);
  let inserted: Promise<void> | undefined;

  function begin(): Promise<void> {
    const options = { signal, timeoutMs: longTimeoutMs, settings };
    const begun = server.insert(sql, chunks.read(), options);
    begun.catch(() => {});
    return begun;
  }

  return {
    async write(some) {
      inserted ??= begin();
      const hasSpace = chunks.add(some);
      if (hasSpace) await Promise.race([hasSpace, inserted]);
    },
    async end() {
      chunks.end();
      await inserted;
    },
  };
}

/** Passes chunks on as they are. A stream of bytes would copy them, to join those that wait. */
function createChunkQueue(maxBytes: number) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isEnded = false;
  let added = Promise.withResolvers<void>();
  let space: PromiseWithResolvers<void> | undefined;

  return {
    /** Returns a promise that resolves when there is space for more, unless there is some already. */
    add(some: readonly Uint8Array[]): Promise<void> | undefined {
      for (const chunk of some) bytes += chunk.length;
      chunks.push(...some);
      added.resolve();
      if (bytes > maxBytes) space ??= Promise.withResolvers();
      return space?.promise;
    },
    end(): void {
      isEnded = true;
      added.resolve();
    },
    async *read(): AsyncGenerator<Uint8Array> {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk) {
          bytes -= chunk.length;
          if (bytes <= maxBytes) {
            space?.resolve();
            space = undefined;
          }
          yield chunk;
        } else if (isEnded) return;
        else {
          added = Promise.withResolvers();
          await added.promise;
        }
      }
    },
  };
}
