/** How to reach a ClickHouse server, and the cluster it belongs to, if any. */
export interface ClickhouseAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly cluster: string | null;
  /** Other servers of the cluster, in case the first does not answer. */
  readonly otherUrls?: readonly string[];
}

/** Where device sets are: a ClickHouse database, or run files if it is null. */
export type WarehouseAddress = ClickhouseAddress | null;

/** The address for people, without the credentials. */
export function describeClickhouse({ url, database, cluster }: ClickhouseAddress): string {
  const where = cluster === null ? '' : `, cluster ${cluster}`;
  return `ClickHouse at ${new URL(url).host}${where}, database ${database}`;
}

/** The place that is recorded for the device sets. */
interface RecordedPlace {
  readonly kind: 'folder' | 'clickhouse';
  /** Null: they were never moved. */
  readonly copyId: number | null;
  readonly clickhouse: WarehouseAddress;
}

/**
 * Where the device sets are, given the setting and the record. Once they have been moved, the record decides. A
 * setting that names the same place may have newer credentials.
 */
export function usedWarehouse(
  setting: WarehouseAddress,
  place: RecordedPlace | undefined,
): WarehouseAddress {
  if (!place || place.copyId === null) return setting;
  const used = place.kind === 'folder' ? null : place.clickhouse;
  return isSameWarehouse(setting, used) ? setting : used;
}

/** Whether both are the same place. Credentials are not compared. */
export function isSameWarehouse(one: WarehouseAddress, other: WarehouseAddress): boolean {
  if (!one || !other) return one === other;
  return one.url === other.url && one.database === other.database && one.cluster === other.cluster;
}
