import type { Attribute } from './attribute.ts';
import { compareNames } from './hierarchy.ts';

/** Orders of the plot. */
export const orders = ['over', 'under', 'share'] as const;
export type Order = (typeof orders)[number];

export const orderNames: Record<Order, string> = {
  over: 'Over-indexing first',
  under: 'Under-indexing first',
  share: 'Largest share first',
};

/** Columns of the table. */
export const columns = [
  'name',
  'audienceShare',
  'baselineShare',
  'index',
  'z',
  'q',
  'audienceDevices',
] as const;
export type Column = (typeof columns)[number];

export interface Sort {
  readonly column: Column;
  readonly isDescending: boolean;
}

/** The same orders for the table. */
export const sortOfOrder: Record<Order, Sort> = {
  over: { column: 'index', isDescending: true },
  under: { column: 'index', isDescending: false },
  share: { column: 'audienceShare', isDescending: true },
};

export function inOrder<T extends Attribute>(attributes: readonly T[], order: Order): T[] {
  return sorted(attributes, sortOfOrder[order]);
}

/** Missing figures come last in both directions; ties are sorted by name. */
export function sorted<T extends Attribute>(attributes: readonly T[], sort: Sort): T[] {
  const { column, isDescending } = sort;
  const direction = isDescending ? -1 : 1;
  if (column === 'name') {
    return attributes.toSorted((a, b) => direction * compareNames(a.name, b.name));
  }
  return attributes.toSorted((a, b) => {
    const left = a[column];
    const right = b[column];
    if (left === right) return compareNames(a.name, b.name);
    if (left === null || right === null) return left === null ? 1 : -1;
    return direction * (left - right);
  });
}

/** Pressing the current column reverses the sort; another one starts with its largest figures. */
export function sortAfterPress(sort: Sort, column: Column): Sort {
  if (sort.column === column) return { column, isDescending: !sort.isDescending };
  return { column, isDescending: column !== 'name' };
}
