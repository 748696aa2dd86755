/** Groups consecutive items. A group exceeds `maxSize` only if a single item does. */
export function* groupBySize<T>(
  items: Iterable<T>,
  sizeOf: (item: T) => number,
  maxSize: number,
): Generator<T[]> {
  let group: T[] = [];
  let total = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (group.length > 0 && total + size > maxSize) {
      yield group;
      group = [];
      total = 0;
    }
    group.push(item);
    total += size;
  }
  if (group.length > 0) yield group;
}
