import type { Finding } from '../report/finding.ts';

export interface BenchCase {
  readonly name: string;
  run(context: BenchContext): Promise<CaseReport>;
}

export interface BenchContext {
  /** Below 1 it is a rehearsal, with that share of the rows. */
  readonly scale: number;
  /** So many rows, or the rehearsal's share of them. */
  scaled(rows: number): number;
  /** For the processes of ours that do the work: what has Node profile them, or nothing. */
  readonly nodeOptions: readonly string[];
}

export interface CaseReport {
  readonly title: string;
  readonly findings: readonly Finding[];
  /** What the plot shows in seconds. */
  readonly comparisons?: readonly Comparison[];
  /** What a reader must know to read the numbers. */
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

/** A difference between our result and a peer's makes every figure worthless. */
export function expectSame(what: string, ours: unknown, peers: unknown): void {
  const [left, right] = [JSON.stringify(ours), JSON.stringify(peers)];
  if (left === right) return;
  throw new Error(`${what}: ours is ${left.slice(0, 500)}, the peer's is ${right.slice(0, 500)}`);
}
