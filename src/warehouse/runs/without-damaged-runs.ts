import { messageOf } from '../../domain/errors.ts';
import type { DamagedRuns } from '../../records/warehouse/damaged-runs.ts';
import { damagedPlace } from './file/damage-error.ts';

/**
 * Repeats work that met a damaged run of an attribute or of the universe, without that run. So a
 * damaged file of one partner does not stop the counts of the others.
 */
export async function withoutDamagedRuns<T>(
  damagedRuns: Pick<DamagedRuns, 'setAside'>,
  work: () => Promise<T>,
): Promise<T> {
  const known = new Set<string>();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const place = damagedPlace(error);
      const key = JSON.stringify(place);
      if (!place || known.has(key)) throw error;
      known.add(key);
      if (!(await damagedRuns.setAside(place, messageOf(error)))) throw error;
    }
  }
}
