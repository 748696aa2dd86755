/** Works on up to `atOnce` items at a time and yields the outcomes in the order of the items. */
export async function* mapConcurrently<Item, Outcome>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Outcome>,
): AsyncGenerator<Outcome> {
  const underWay: Promise<Outcome>[] = [];
  let next = 0;
  try {
    for (;;) {
      while (next < items.length && underWay.length < atOnce) {
        const begun = work(items[next++]!);
        // The failure is thrown below; until then it must not count as an unhandled rejection.
        begun.catch(() => {});
        underWay.push(begun);
      }
      const first = underWay.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    // If the caller stops early, no work is still running when this returns.
    await Promise.allSettled(underWay);
  }
}
