/** A source of bytes that is pulled one chunk at a time, with the next one already on its way. */
export interface PrefetchedSource {
  /** Undefined at the end. Throws what the source throws, and the signal's reason. */
  next(): Promise<Uint8Array | undefined>;
  /** Makes these bytes the next. */
  putBack(bytes: Uint8Array): void;
  /** Closes the source, whether it ended or not. */
  close(): Promise<void>;
}

/**
 * Asks for a chunk before the last one was used, which therefore must stay as it was; the one
 * before that may change.
 */
export function prefetch(source: AsyncIterable<Uint8Array>, signal: AbortSignal): PrefetchedSource {
  const iterator = source[Symbol.asyncIterator]();
  let interrupt: ((reason: unknown) => void) | undefined;
  let putBack: Uint8Array | undefined;
  const abort = () => interrupt?.(signal.reason);
  signal.addEventListener('abort', abort);
  let nextChunk = requestChunk();

  /** Not a race with one promise of the abort, which would hold every chunk until the end. */
  function requestChunk(): Promise<IteratorResult<Uint8Array>> {
    const asked = new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      signal.throwIfAborted();
      interrupt = reject;
      iterator.next().then(resolve, reject);
    });
    // Nobody may be waiting yet, or any more.
    asked.catch(() => {});
    return asked;
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
      // A source that is stuck closes when it comes round; an abort does not wait for that.
      await (signal.aborted ? undefined : closed);
    },
  };
}
