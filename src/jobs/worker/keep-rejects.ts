import type { RejectedRow } from '../../intake/intake.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { RejectAllowance } from '../../records/queue/rejects.ts';
import { SuppressionChanged } from '../../records/warehouse/suppression.ts';
import { namesSuppressed, readSuppression, type SuppressionDependencies } from './suppression.ts';

interface RejectDependencies extends SuppressionDependencies {
  readonly rejectAllowance?: RejectAllowance | undefined;
}

/** How many rows were kept, and whether the limit is reached. */
export interface KeptRejects {
  readonly kept: number;
  readonly isFull: boolean;
}

/** Keeps rejected rows of the file at that position, except those that name a suppressed device. */
export function createRejectKeeper(
  deps: RejectDependencies,
  claim: Claim,
  signal: AbortSignal,
): (position: number, rejects: readonly RejectedRow[]) => Promise<KeptRejects> {
  const { records, rejectAllowance } = deps;
  return async (position, rejects) => {
    for (;;) {
      const view = await readSuppression(records);
      const texts = rejects.map(({ original }) => Buffer.from(original).toString('latin1'));
      const names = await namesSuppressed(deps, texts, view, signal);
      const allowed = rejects.filter((_, i) => !names[i]);
      if (allowed.length === 0) return { kept: 0, isFull: false };
      try {
        const { versions } = view;
        const kept = await records.rejects.add(claim, position, allowed, rejectAllowance, versions);
        return { kept, isFull: kept < allowed.length };
      } catch (error) {
        if (!(error instanceof SuppressionChanged)) throw error;
      }
    }
  };
}
