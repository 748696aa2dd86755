import type { Records } from '../../src/records/records.ts';
import { openRunsWarehouse, type RunsWarehouse } from '../../src/warehouse/runs/runs-warehouse.ts';

/** The embedded engine, as small as tests want it. */
export function openTestWarehouse(directory: string, records: Records): Promise<RunsWarehouse> {
  return openRunsWarehouse({ directory, records, threads: 2, memoryBytes: 32 * 1024 * 1024 });
}
