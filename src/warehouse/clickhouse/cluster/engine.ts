import type { Records } from '../../../records/records.ts';
import type { Cluster } from './cluster.ts';

/** Runs work on one server of each shard, and again on others if one of them fails or is behind. */
export type UseEngine = <T>(work: (engine: Engine) => Promise<T>) => Promise<T>;

/** The dependencies of every operation of the engine. */
export interface Engine {
  readonly cluster: Cluster;
  readonly records: Pick<
    Records,
    | 'manifest'
    | 'runFiles'
    | 'universe'
    | 'profiles'
    | 'suppression'
    | 'inTransaction'
    | 'unlessLocked'
  >;
  /** Devices of a dropped run stay on disk at least this long. */
  readonly graceSeconds: number;
  /** The largest set of devices that a shard keeps in memory. */
  readonly devicesPerShard: number;
  /** Runs with fewer devices in all get no profile. */
  readonly profiledFrom?: number | undefined;
}
