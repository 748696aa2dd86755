import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { DiskSpace } from '../domain/disk-reserve.ts';
import { type StorageErrorClass, storageErrorClasses } from '../objects/port.ts';
import type { PoolUse } from '../records/database/connection.ts';

/** What every process of the service measures about itself. */
export interface ProcessMetrics {
  readonly registry: Registry;
  storageFailed(bucket: BucketOwner, error: StorageErrorClass): void;
}

const bucketOwners = ['shared', 'partner'] as const;
type BucketOwner = (typeof bucketOwners)[number];

export interface ProcessMetricsOptions {
  readonly poolUse: () => PoolUse;
  /** Null: no data is stored on a disk of the service. */
  readonly diskSpace: (() => Promise<DiskSpace>) | null;
}

export function createProcessMetrics(options: ProcessMetricsOptions): ProcessMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addPool(registry, options.poolUse);
  if (options.diskSpace) addDisk(registry, options.diskSpace);
  const storageErrors = new Counter({
    name: 'tributary_s3_client_errors_total',
    help: 'Failed requests to S3 buckets, including those that were tried again, by owner of the bucket and class of error.',
    labelNames: ['bucket', 'class'],
    registers: [registry],
  });
  for (const bucket of bucketOwners) {
    for (const error of storageErrorClasses) storageErrors.inc({ bucket, class: error }, 0);
  }
  return {
    registry,
    storageFailed: (bucket, error) => storageErrors.inc({ bucket, class: error }),
  };
}

function addPool(registry: Registry, poolUse: () => PoolUse): void {
  const registers = [registry];
  new Gauge({
    name: 'tributary_database_connections',
    help: 'Open connections to the database, in use or idle.',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle } = poolUse();
      this.set({ state: 'used' }, open - idle);
      this.set({ state: 'idle' }, idle);
    },
  });
  new Gauge({
    name: 'tributary_database_connections_max',
    help: 'How many connections to the database the process may open.',
    registers,
    collect() {
      this.set(poolUse().max);
    },
  });
  new Gauge({
    name: 'tributary_database_waiting',
    help: 'Queries and transactions that wait for a connection.',
    registers,
    collect() {
      this.set(poolUse().waiting);
    },
  });
}

function addDisk(registry: Registry, diskSpace: () => Promise<DiskSpace>): void {
  const gauge = (name: string, help: string, read: (space: DiskSpace) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(read(await diskSpace()));
      },
    });
  gauge('tributary_disk_free_bytes', "Free space on the data dir's disk.", (disk) => disk.free);
  gauge('tributary_disk_size_bytes', "Size of the data dir's disk.", (disk) => disk.size);
  gauge(
    'tributary_disk_reserve_bytes',
    'Space to keep free: with less, uploads and loads are refused.',
    (disk) => disk.reserved,
  );
}
