import {
  type CompositionCell,
  compositionCell,
  type Population,
} from '../../domain/composition.ts';
import {
  falseDiscoveryRates,
  twoSidedProbability,
} from '../../domain/statistics/false-discoveries.ts';
import { nextTurn } from '../lists/turns.ts';
import type { ReportCounts, SuppliedAttribute } from './report-counts.ts';

/** Everything that the figures of a report are computed from. */
export interface Compared {
  readonly population: Population;
  /** The attributes that had devices when the report was computed. */
  readonly attributes: Iterable<SuppliedAttribute>;
  /** Also of attributes that are newer than the report, which have no devices in it. */
  readonly counts: Pick<ReportCounts, 'of' | 'isExact'>;
}

/** The figures of an attribute, including those that depend on all attributes of the report. */
export interface ReportCell extends CompositionCell {
  readonly q: number | null;
  /** Whether its counts have no noise. */
  readonly isExact: boolean;
}

export interface ReportFigures {
  readonly population: Population;
  cellOf(attribute: SuppliedAttribute): ReportCell;
}

/** Computes all figures before the first row is sent, because q depends on every z of the report. */
export async function reportFigures(
  { population, attributes, counts }: Compared,
  threshold: number,
): Promise<ReportFigures> {
  const cellNow = (attribute: SuppliedAttribute) =>
    compositionCell(population, counts.of(attribute), threshold);
  const cells = new Map<number, CompositionCell>();
  const probabilities: number[] = [];
  let turn = await nextTurn();
  for (const attribute of attributes) {
    if (turn.isOver()) turn = await nextTurn();
    const cell = cellNow(attribute);
    cells.set(attribute.segmentId, cell);
    if (cell.z !== null) probabilities.push(twoSidedProbability(cell.z));
  }
  await nextTurn();
  const rateOf = falseDiscoveryRates(probabilities);
  return {
    population,
    cellOf(attribute) {
      const cell = cells.get(attribute.segmentId) ?? cellNow(attribute);
      const q = cell.z === null ? null : rateOf(twoSidedProbability(cell.z));
      return { ...cell, q, isExact: counts.isExact(attribute) };
    },
  };
}
