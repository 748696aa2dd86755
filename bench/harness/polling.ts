/**
 * Calls again and again at a steady pace, and takes the time of each in milliseconds. A call does
 * not wait for those before it, which would hide how long an answer had to be waited for.
 */
export function pollWhile(call: () => Promise<unknown>, everyMs: number) {
  const latencies: number[] = [];
  const underWay = new Set<Promise<void>>();
  let failure: unknown;

  async function once(): Promise<void> {
    const before = performance.now();
    await call();
    latencies.push(performance.now() - before);
  }

  const timer = setInterval(() => {
    const answered = once().catch((error) => {
      failure ??= error;
    });
    underWay.add(answered);
    answered.finally(() => underWay.delete(answered));
  }, everyMs);

  return {
    /** What was measured, once the last answer is there. */
    async stop(): Promise<number[]> {
      clearInterval(timer);
      await Promise.all(underWay);
      if (failure) throw failure;
      return latencies;
    },
  };
}
