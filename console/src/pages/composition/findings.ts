import { type Attribute, type DescribedAttribute, isDescribed } from './attribute.ts';
import { inOrder } from './ordering.ts';

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
    over: inOrder(over, 'over').slice(0, shown),
    under: inOrder(under, 'under').slice(0, shown),
  };
}
