import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import type { Config, ServingConfig } from '../../config/config.ts';
import { openDiskReserve } from '../../data-dir/disk-reserve.ts';
import type { DiskReserve } from '../../domain/disk-reserve.ts';
import { isSameWarehouse, usedWarehouse } from '../../domain/warehouse/address.ts';
import type { Records } from '../../records/records.ts';
import type { CurrentPlace } from '../../records/warehouse/warehouse-copies.ts';
import type { LoadingOptions } from '../../warehouse/clickhouse/load/load.ts';
import { type MaintainedWarehouse, WrongWarehouse } from '../../warehouse/port.ts';

/** Longer than any read. A reader may still need runs that were dropped after it read the manifest. */
export const warehouseGraceSeconds = 15 * 60;

/** The reserve of the disk that holds the embedded object store and warehouse. */
export function reserveOf({ dataDir, diskReserve }: ServingConfig): DiskReserve {
  return openDiskReserve(dataDir, diskReserve);
}

/** The settings with the current place of the device sets, which may differ from the place that they name. */
export async function findWarehouse<C extends Config>(
  config: C,
  { warehouseCopies }: Pick<Records, 'warehouseCopies'>,
  log?: Logger,
): Promise<{ config: C; place: CurrentPlace | undefined }> {
  const place = await warehouseCopies.place();
  const clickhouse = usedWarehouse(config.clickhouse, place);
  if (place && !isSameWarehouse(clickhouse, config.clickhouse)) {
    log?.warn(
      { place: place.address },
      'TRIBUTARY_WAREHOUSE does not name the place of the device sets: change the setting',
    );
  }
  return { config: { ...config, clickhouse }, place };
}

/** Opens the ClickHouse warehouse. Null: the warehouse is in the data dir. */
export async function openClusterWarehouse(
  config: ServingConfig,
  records: Records,
  smallLanes = 0,
): Promise<MaintainedWarehouse | null> {
  const { clickhouse: address } = config;
  if (!address) return null;
  const { openClickhouseWarehouse } = await import(
    '../../warehouse/clickhouse/clickhouse-warehouse.ts'
  );
  const warehouse = openClickhouseWarehouse({
    address,
    records,
    graceSeconds: warehouseGraceSeconds,
    profiledFrom: config.profileMin ?? undefined,
    loading: shardLoading(config, smallLanes),
  });
  // An unavailable warehouse may come back. The wrong warehouse is a permanent error.
  await warehouse.checkReady().catch((error) => {
    if (error instanceof WrongWarehouse) throw error;
  });
  return warehouse;
}

/** The threads, memory and disk that loads into shards may use. */
export function shardLoading(config: ServingConfig, smallLanes = 0): LoadingOptions {
  return {
    directory: config.dataDir,
    reserve: reserveOf(config),
    threads: availableParallelism(),
    memoryBytes: config.loadMemoryBytes,
    lanes: config.workerConcurrency,
    smallLanes,
  };
}
