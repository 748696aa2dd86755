import type { Records } from '../../../records/records.ts';
import type { Cluster } from './cluster.ts';

/** What all verbs of the engine work with. */
export interface Engine {
  readonly cluster: Cluster;
  readonly records: Pick<Records, 'manifest' | 'runFiles' | 'universe' | 'inTransaction'>;
  /** Devices of a run that was dropped are there for so long at least. */
  readonly graceSeconds: number;
  /** Sets that a shard holds in memory while it works are of so many devices at most. */
  readonly devicesPerShard: number;
}
