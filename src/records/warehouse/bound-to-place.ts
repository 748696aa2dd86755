import { sql } from 'kysely';
import { TributaryError } from '../../domain/errors.ts';
import type { Database } from '../database/connection.ts';
import type { DamagedRuns } from './damaged-runs.ts';
import type { Manifest } from './manifest.ts';
import { currentCopy } from './manifest-gate.ts';
import type { Profiles } from './profiles.ts';
import { createRunFiles, type RunFiles } from './run-files.ts';
import type { Suppression } from './suppression.ts';
import type { UniverseRecord } from './universe.ts';

/** The device sets are in another place than this process uses. It opens the new one soon. */
export class WarehouseMoved extends TributaryError {
  constructor() {
    super('unavailable', 'The device sets were moved to another place');
  }
}

/** The records that tell an engine where devices are. */
interface PlaceRecords {
  readonly manifest: Manifest;
  readonly profiles: Profiles;
  readonly universe: UniverseRecord;
  readonly suppression: Suppression;
  readonly damagedRuns: DamagedRuns;
  readonly runFiles: RunFiles;
}

/**
 * The same records for an engine that uses one place: that of the copy, or the first one if it is null. After
 * a move they throw instead of naming runs, because the engine would look for them in the wrong place.
 */
export function boundToPlace<R extends PlaceRecords>(
  db: Database,
  records: R,
  copyId: number | null,
): R {
  const { manifest, profiles, universe, suppression, damagedRuns } = records;
  const runFiles = createRunFiles(db, copyId);

  /** Checks after the read: the place was the same before, because no place is used twice. */
  function bound<A extends unknown[], T>(read: (...args: A) => Promise<T>) {
    return async (...args: A): Promise<T> => {
      const found = await read(...args);
      const { rows } = await sql<{ copyId: number | null }>`
        select ${currentCopy} as "copyId"
      `.execute(db);
      if (rows[0]!.copyId !== copyId) throw new WarehouseMoved();
      return found;
    };
  }

  return {
    ...records,
    manifest: {
      ...manifest,
      runsOf: bound(manifest.runsOf),
      readableRunsOf: bound(manifest.readableRunsOf),
      crowded: bound(manifest.crowded),
    },
    profiles: {
      ...profiles,
      sourcesOf: bound(profiles.sourcesOf),
      state: bound(profiles.state),
    },
    universe: { ...universe, pending: bound(universe.pending) },
    suppression: {
      ...suppression,
      storedRuns: bound(suppression.storedRuns),
      runsToClean: bound(suppression.runsToClean),
    },
    damagedRuns: { ...damagedRuns, list: bound(damagedRuns.list) },
    runFiles: {
      ...runFiles,
      removeUnreferenced: bound(runFiles.removeUnreferenced),
      names: bound(runFiles.names),
      withoutRuns: bound(runFiles.withoutRuns),
      withDroppedRuns: bound(runFiles.withDroppedRuns),
      runsToRewrite: bound(runFiles.runsToRewrite),
    },
  };
}
