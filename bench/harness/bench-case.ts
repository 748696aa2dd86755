import type { Finding } from '../report/finding.ts';

export interface BenchCase {
  readonly name: string;
  run(context: BenchContext): Promise<CaseReport>;
}

export interface BenchContext {
  /** Below 1 it is a rehearsal with this share of the rows. */
  readonly scale: number;
  /** The number of rows at this scale. */
  scaled(rows: number): number;
  /** Options for our worker processes, to profile them. */
  readonly nodeOptions: readonly string[];
}

export interface CaseReport {
  readonly title: string;
  readonly findings: readonly Finding[];
  /** Bars of the plot, in seconds. */
  readonly comparisons?: readonly Comparison[];
  /** Notes for the reader of the figures. */
  readonly remarks: readonly string[];
  /** Every single measurement. */
  readonly measured: Readonly<Record<string, readonly number[]>>;
}

interface Comparison {
  readonly title: string;
  readonly bars: readonly Bar[];
}

interface Bar {
  readonly name: string;
  readonly seconds: number;
  readonly isOurs: boolean;
}

/** Throws if our result differs from the peer's, because then the figures mean nothing. */
export function expectSame(what: string, ours: unknown, peers: unknown): void {
  const [left, right] = [JSON.stringify(ours), JSON.stringify(peers)];
  if (left === right) return;
  throw new Error(`${what}: ours is ${left.slice(0, 500)}, the peer's is ${right.slice(0, 500)}`);
}
