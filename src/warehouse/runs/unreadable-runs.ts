import { messageOf } from '../../domain/errors.ts';
import type { DamagedPlace, DamagedRuns } from '../../records/warehouse/damaged-runs.ts';
import type { StagedRun } from '../../records/warehouse/manifest.ts';
import { damagedPlace } from './file/damage-error.ts';

/** Runs of any segment that turned out to be unreadable, for work that goes on without them. */
export interface UnreadableRuns {
  /** How many places could not be read. */
  readonly count: number;
  readonly isReadable: (run: Pick<StagedRun, 'file' | 'firstRowGroup'>) => boolean;
  /** Repeats work that met an unreadable run. The work leaves out runs that are not readable. */
  skipping<T>(work: () => Promise<T>): Promise<T>;
}

export function createUnreadableRuns(damagedRuns: Pick<DamagedRuns, 'setAside'>): UnreadableRuns {
  const places: DamagedPlace[] = [];

  const isReadable: UnreadableRuns['isReadable'] = (run) =>
    !places.some(
      ({ file, firstRowGroup }) =>
        file === run.file && (firstRowGroup ?? run.firstRowGroup) === run.firstRowGroup,
    );

  return {
    get count() {
      return places.length;
    },
    isReadable,
    async skipping(work) {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          const place = damagedPlace(error);
          const isKnown =
            place && !isReadable({ file: place.file, firstRowGroup: place.firstRowGroup ?? -1 });
          if (!place || isKnown) throw error;
          places.push(place);
          // Only attributes and the universe do without their damaged runs.
          await damagedRuns.setAside(place, messageOf(error));
        }
      }
    },
  };
}
