import { type Attribute, type DescribedAttribute, isDescribed } from './attribute.ts';

/** The most characteristic attributes of an audience. */
export interface Findings {
  readonly over: readonly DescribedAttribute[];
  readonly under: readonly DescribedAttribute[];
}

const shown = 3;

/** In a large audience a difference of 1% is significant, but not remarkable. */
const remarkable = { over: 110, under: 90 };

export function findingsOf(attributes: readonly Attribute[]): Findings {
  const described = attributes.filter(isDescribed);
  const over = described.filter((a) => a.standing === 'over' && a.index >= remarkable.over);
  const under = described.filter((a) => a.standing === 'under' && a.index <= remarkable.under);
  return {
    over: over.toSorted((a, b) => leastIndex(b) - leastIndex(a)).slice(0, shown),
    under: under.toSorted((a, b) => leastIndex(a) - leastIndex(b)).slice(0, shown),
  };
}

/**
 * The end of the interval that is nearer to 100: the difference that is certain. The index itself is
 * most extreme where the fewest devices were counted.
 */
function leastIndex({ standing, index, indexLow, indexHigh }: DescribedAttribute): number {
  return (standing === 'over' ? indexLow : indexHigh) ?? index;
}
