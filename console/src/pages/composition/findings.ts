import { count, counted } from '../../parts/format.ts';
import { type Attribute, type DescribedAttribute, isDescribed } from './attribute.ts';

/** The most characteristic attributes of an audience. */
export interface Findings {
  readonly over: readonly DescribedAttribute[];
  readonly under: readonly DescribedAttribute[];
  /** How many attributes have figures, and how many have none. */
  readonly described: number;
  readonly withheld: number;
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
    described: described.length,
    withheld: attributes.length - described.length,
  };
}

/** Says that nothing stands out, and claims no more than the figures show. */
export function nothingStandsOut({ described, withheld }: Findings): string {
  if (described === 0) {
    const all = withheld === 1 ? 'the only attribute' : `all ${count(withheld)} attributes`;
    return `There are too few devices to tell. The figures of ${all} are withheld.`;
  }
  const rest =
    withheld === 0
      ? ''
      : ` The figures of ${counted(withheld, 'attribute', 'attributes')} are withheld.`;
  return `Nothing stands out: no attribute shown differs significantly from the baseline by 10% or more.${rest}`;
}

/**
 * The end of the interval that is nearer to 100: the difference that is certain. The index itself is
 * most extreme where the fewest devices were counted.
 */
function leastIndex({ standing, index, indexLow, indexHigh }: DescribedAttribute): number {
  return (standing === 'over' ? indexLow : indexHigh) ?? index;
}
