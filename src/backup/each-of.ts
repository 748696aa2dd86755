/** Works on several items at a time. Stops at the first error, or when the signal aborts. */
export async function eachOf<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failed = false;
  async function run(): Promise<void> {
    try {
      for (let next = iterator.next(); !next.done && !failed; next = iterator.next()) {
        signal.throwIfAborted();
        await work(next.value);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, run));
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason;
}
