/** Runs `act` after all earlier tasks have run theirs, and before all later ones. */
export type InOrder = <R>(act: () => R) => Promise<R>;

/** While one task waits for earlier ones, its thread can work on another. */
const tasksPerThread = 2;

/**
 * Distributes tasks to threads in order, each to the next free thread. After a failure it starts no
 * more tasks, waits for the running ones, and throws.
 */
export async function runOnThreads<T>(
  tasks: Iterable<T> | AsyncIterable<T>,
  threads: number,
  signal: AbortSignal,
  work: (task: T, thread: number, inOrder: InOrder) => Promise<void>,
): Promise<void> {
  const left =
    Symbol.asyncIterator in tasks ? tasks[Symbol.asyncIterator]() : tasks[Symbol.iterator]();
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

  const workers = Array.from({ length: threads * tasksPerThread }, (_, i) =>
    workOn(i % threads).catch((cause: unknown) => {
      failure ??= { cause };
    }),
  );
  await Promise.all(workers);
  if (failure) throw failure.cause;
  signal.throwIfAborted();
}
