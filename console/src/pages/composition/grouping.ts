import type { Attribute } from './attribute.ts';

export interface Group<T> {
  readonly category: string | null;
  readonly attributes: readonly T[];
}

/** Groups by category, keeping the order. The category of the first attribute comes first. */
export function groupedByCategory<T extends Attribute>(ordered: readonly T[]): Group<T>[] {
  const groups = new Map<string | null, T[]>();
  for (const attribute of ordered) {
    const group = groups.get(attribute.category);
    if (group) group.push(attribute);
    else groups.set(attribute.category, [attribute]);
  }
  return [...groups].map(([category, attributes]) => ({ category, attributes }));
}
