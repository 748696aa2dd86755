import type { Attribute } from './attribute.ts';

/** A category of null is that of attributes without one; undefined lets all through. */
export interface Filter {
  readonly search: string;
  readonly category: string | null | undefined;
}

/** Attributes of the category whose names hold every word, in any order and letter case. */
export function filtered<T extends Pick<Attribute, 'searchText' | 'category'>>(
  attributes: readonly T[],
  { search, category }: Filter,
): T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return attributes.filter(
    (attribute) =>
      (category === undefined || attribute.category === category) &&
      words.every((word) => attribute.searchText.includes(word)),
  );
}
