/** Does something when all jobs before this one have had their turn, and none after it has. */
export type InTurn = <R>(act: () => R) => Promise<R>;

/** So many at once on each thread: while one waits for its turn, the thread has another to do. */
const jobsPerThread = 2;

/**
 * Hands jobs out to threads in their order, each to the next thread that is free. After a failure
 * it begins no more, waits for those under way, and throws it.
 */
export async function shareOut<T>(
  jobs: Iterable<T> | AsyncIterable<T>,
  threads: number,
  signal: AbortSignal,
  work: (job: T, thread: number, inTurn: InTurn) => Promise<void>,
): Promise<void> {
  const left =
    Symbol.asyncIterator in jobs ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
  let failure: { readonly cause: unknown } | undefined;
  let lastTurn: Promise<void> = Promise.resolve();

  async function workOn(thread: number): Promise<void> {
    while (!failure) {
      signal.throwIfAborted();
      const turn = lastTurn;
      const { promise, resolve } = Promise.withResolvers<void>();
      lastTurn = promise;
      try {
        const next = await left.next();
        if (next.done || failure) return;
        await work(next.value, thread, async (act) => {
          await turn;
          if (failure) throw failure.cause;
          const result = act();
          resolve();
          return result;
        });
      } finally {
        resolve();
      }
    }
  }

  const workers = Array.from({ length: threads * jobsPerThread }, (_, i) =>
    workOn(i % threads).catch((cause: unknown) => {
      failure ??= { cause };
    }),
  );
  await Promise.all(workers);
  if (failure) throw failure.cause;
  signal.throwIfAborted();
}
