/** Works on the items, a few at a time, and gives the outcomes in the items' order. */
export async function* inOrder<Item, Outcome>(
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
        // A failure is met when its turn comes, and is no unhandled one until then.
        begun.catch(() => {});
        underWay.push(begun);
      }
      const first = underWay.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    // Whoever stops early, by a failure or not, has nothing of theirs still running behind it.
    await Promise.allSettled(underWay);
  }
}
