/**
 * Calls at a steady rate and measures each call in milliseconds. Calls do not wait for earlier ones,
 * because that would hide slow responses.
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
    /** Returns the measurements after the last response. */
    async stop(): Promise<number[]> {
      clearInterval(timer);
      await Promise.all(underWay);
      if (failure) throw failure;
      return latencies;
    },
  };
}
