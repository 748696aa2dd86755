import type { Attribute } from './attribute.ts';

/** A category of null selects attributes without one; undefined selects all. */
export interface Filter {
  readonly search: string;
  readonly category: string | null | undefined;
}

/** Attributes of the category whose names contain every word, in any order, ignoring case. */
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
