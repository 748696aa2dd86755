import { type ServingConfig, warehouseFolder } from '../../config/config.ts';
import type { Records } from '../../records/records.ts';
import type { Warehouse } from '../../warehouse/port.ts';
import { openRunsFolder } from '../../warehouse/runs/file/runs-folder.ts';
import { findWarehouse, openClusterWarehouse } from './find-warehouse.ts';

export type WarehouseCheck = Pick<Warehouse, 'checkReady' | 'replicas'>;

interface OpenedCheck extends WarehouseCheck, AsyncDisposable {
  readonly copyId: number | null;
}

/**
 * Checks whether the warehouse is available. After the device sets were moved, the second check is that of the
 * new place. The API only checks that, so it does not load the engine.
 */
export async function openWarehouseCheck(
  settings: ServingConfig,
  records: Records,
  resources: AsyncDisposableStack,
): Promise<WarehouseCheck> {
  let opened = await open(settings, records);
  let isFollowing = false;
  resources.defer(() => opened[Symbol.asyncDispose]());

  /** Opens the new place if the device sets were moved. */
  async function follow(): Promise<void> {
    if (isFollowing) return;
    isFollowing = true;
    try {
      if ((await records.warehouseCopies.currentCopy()) === opened.copyId) return;
      const before = opened;
      opened = await open(settings, records);
      await before[Symbol.asyncDispose]();
    } finally {
      isFollowing = false;
    }
  }

  return {
    async checkReady() {
      // Not awaited: the warehouse can be available while the database is not. The next check tries again.
      follow().catch(() => {});
      await opened.checkReady();
    },
    replicas: () => opened.replicas(),
  };
}

async function open(settings: ServingConfig, records: Records): Promise<OpenedCheck> {
  const { config, place } = await findWarehouse(settings, records);
  const copyId = place?.copyId ?? null;
  const cluster = await openClusterWarehouse(config, records);
  if (cluster) {
    const { checkReady, replicas } = cluster;
    const dispose = () => cluster[Symbol.asyncDispose]();
    return { copyId, checkReady, replicas, [Symbol.asyncDispose]: dispose };
  }
  const { checkReady } = await openRunsFolder(warehouseFolder(config));
  const replicas = async () => [];
  return { copyId, checkReady, replicas, [Symbol.asyncDispose]: async () => {} };
}
