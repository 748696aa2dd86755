/** The place of a name in the taxonomy. */
export interface Place {
  readonly ancestors: readonly string[];
  readonly leaf: string;
  readonly category: string | null;
}

const separator = ' > ';

/** A name without a parent belongs to the category of the same name, if that has other names. */
export function hierarchyOf(names: readonly string[]): Place[] {
  const levels = names.map(levelsOf);
  const categories = new Set(levels.filter(({ length }) => length > 1).map(([top]) => top));
  return levels.map((path) => ({
    ancestors: path.slice(0, -1),
    leaf: path.at(-1)!,
    category: path.length > 1 || categories.has(path[0]) ? path[0]! : null,
  }));
}

/** A name with an empty level is kept whole. */
function levelsOf(name: string): string[] {
  const levels = name.split(separator).map((level) => level.trim());
  return levels.includes('') ? [name] : levels;
}

export interface Category {
  readonly name: string | null;
  readonly attributes: number;
}

/** The categories by name, with null for uncategorised attributes last. */
export function categoriesOf(places: readonly Pick<Place, 'category'>[]): Category[] {
  const counts = new Map<string | null, number>();
  for (const { category } of places) counts.set(category, (counts.get(category) ?? 0) + 1);
  return [...counts]
    .map(([name, attributes]) => ({ name, attributes }))
    .sort((a, b) => compareNames(a.name, b.name));
}

const collator = new Intl.Collator('en', { numeric: true });

/** Alphabetical, with null last. */
export function compareNames(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return collator.compare(a, b);
}
