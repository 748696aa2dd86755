import type { Attribute } from '../composition/attribute.ts';
import { compareNames } from '../composition/hierarchy.ts';

/** An attribute in two audiences. Each has the figures of its own report. */
export interface ComparedAttribute extends Pick<Attribute, 'id' | 'name' | 'ancestors' | 'leaf'> {
  readonly category: string | null;
  readonly searchText: string;
  readonly one: Attribute;
  readonly other: Attribute;
  /** The first audience with the second one as its baseline. */
  readonly ratio: Attribute;
}

/**
 * Joins three reports: of each audience, and of the first against the second. Attributes that are newer
 * than one of the reports are left out. The clearest differences come first, and withheld ones last.
 */
export function comparisonOf(
  one: readonly Attribute[],
  other: readonly Attribute[],
  ratios: readonly Attribute[],
): ComparedAttribute[] {
  const others = new Map(other.map((attribute) => [attribute.id, attribute]));
  const byId = new Map(ratios.map((attribute) => [attribute.id, attribute]));
  return one
    .flatMap((attribute) => {
      const { id, name, ancestors, leaf, category, searchText } = attribute;
      const second = others.get(id);
      const ratio = byId.get(id);
      if (!second || !ratio) return [];
      const place = { id, name, ancestors, leaf, category, searchText };
      return [{ ...place, one: attribute, other: second, ratio }];
    })
    .sort((a, b) => clarity(b) - clarity(a) || compareNames(a.name, b.name));
}

/** By how many standard errors the two shares differ; less than 0 if that is not known. */
function clarity({ ratio: { standing, z } }: ComparedAttribute): number {
  return standing === 'withheld' || z === null ? -1 : Math.abs(z);
}
