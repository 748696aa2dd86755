/** Keeps what was used last, as long as it weighs no more together than it may. */
export interface RecentlyUsed<T> {
  get(key: string): T | undefined;
  set(key: string, value: T, weight: number): void;
}

export function createRecentlyUsed<T>(maxWeight: number): RecentlyUsed<T> {
  // A map keeps the order of insertion; what is used is inserted anew, so the oldest stand first.
  const kept = new Map<string, { value: T; weight: number }>();
  let total = 0;
  return {
    get(key) {
      const entry = kept.get(key);
      if (!entry) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.value;
    },
    set(key, value, weight) {
      total += weight - (kept.get(key)?.weight ?? 0);
      kept.delete(key);
      kept.set(key, { value, weight });
      for (const [oldest, entry] of kept) {
        if (total <= maxWeight || oldest === key) break;
        kept.delete(oldest);
        total -= entry.weight;
      }
    },
  };
}
