/** A source of bytes that always requests the next chunk in advance. */
export interface PrefetchedSource {
  /** Undefined at the end. Throws the source's errors and the signal's reason. */
  next(): Promise<Uint8Array | undefined>;
  /** Makes these bytes the next chunk. */
  putBack(bytes: Uint8Array): void;
  /** Closes the source, also before its end. */
  close(): Promise<void>;
}

/**
 * Requests a chunk while the last one is still in use. The source must not change the last chunk;
 * it may reuse the memory of the one before.
 */
export function prefetch(source: AsyncIterable<Uint8Array>, signal: AbortSignal): PrefetchedSource {
  const iterator = source[Symbol.asyncIterator]();
  let interrupt: ((reason: unknown) => void) | undefined;
  let putBack: Uint8Array | undefined;
  const abort = () => interrupt?.(signal.reason);
  signal.addEventListener('abort', abort);
  let nextChunk = requestChunk();

  /** Not `Promise.race` with one abort promise, which would keep every chunk in memory. */
  function requestChunk(): Promise<IteratorResult<Uint8Array>> {
    const requested = new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      signal.throwIfAborted();
      interrupt = reject;
      iterator.next().then(resolve, reject);
    });
    // An error must not count as unhandled while nobody awaits the chunk.
    requested.catch(() => {});
    return requested;
  }

  return {
    async next() {
      if (putBack) {
        const bytes = putBack;
        putBack = undefined;
        return bytes;
      }
      const { done, value } = await nextChunk;
      if (done) return undefined;
      nextChunk = requestChunk();
      return value;
    },
    putBack(bytes) {
      putBack = bytes;
    },
    async close() {
      signal.removeEventListener('abort', abort);
      const closed = Promise.resolve(iterator.return?.()).then(
        () => {},
        () => {},
      );
      // A stuck source may never close. An abort does not wait for it.
      await (signal.aborted ? undefined : closed);
    },
  };
}
