import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { type ServingConfig, warehouseFolder } from '../../config/config.ts';
import { readOrCreateMark } from '../../data-dir/data-dir.ts';
import { openTrash } from '../../data-dir/trash.ts';
import { describeClickhouse } from '../../domain/warehouse/address.ts';
import { copyWarehouse } from '../../jobs/copy/copy-warehouse.ts';
import type { MaintenanceTask } from '../../jobs/worker/maintenance.ts';
import type { Records } from '../../records/records.ts';
import type {
  CurrentPlace,
  WarehouseCopy,
  WarehousePlace,
} from '../../records/warehouse/warehouse-copies.ts';
import {
  type MaintainedWarehouse,
  type RunTransfer,
  WrongWarehouse,
} from '../../warehouse/port.ts';
import { eraseFolder } from '../../warehouse/runs/erase-folder.ts';
import { openRunsFolder } from '../../warehouse/runs/file/runs-folder.ts';
import { createRunsThreads } from '../../warehouse/runs/runs-threads.ts';
import { createSetVerbs } from '../../warehouse/runs/set-verbs.ts';
import { reserveOf, shardLoading, warehouseGraceSeconds } from './find-warehouse.ts';

interface CopyTaskOptions {
  /** Names the place in use. */
  readonly config: ServingConfig;
  readonly records: Records;
  readonly warehouse: MaintainedWarehouse;
  readonly place: CurrentPlace | undefined;
  readonly log: Logger;
}

/** Copies the device sets from the place in use to another one. */
export function warehouseCopyTask(options: CopyTaskOptions): MaintenanceTask {
  const { config, records, warehouse, log } = options;
  const { clickhouse, dataDir } = config;
  const from: WarehousePlace = {
    kind: clickhouse ? 'clickhouse' : 'folder',
    address: clickhouse ? describeClickhouse(clickhouse) : dataDir,
    mark: options.place?.mark ?? null,
    clickhouse,
  };
  return copyWarehouse({ records, source: warehouse, from, openTarget, erase, log });

  function openTarget(copy: WarehouseCopy): Promise<RunTransfer & AsyncDisposable> {
    return copy.to.clickhouse ? openCluster(copy) : openFolder(copy);
  }

  async function openCluster(copy: WarehouseCopy): Promise<RunTransfer & AsyncDisposable> {
    const { copyId, to } = copy;
    const { openClickhouseWarehouse } = await import(
      '../../warehouse/clickhouse/clickhouse-warehouse.ts'
    );
    const places: Records['places'] = {
      async find() {
        const now = await records.warehouseCopies.find(copyId);
        return now?.to.mark ? now.to : undefined;
      },
      async register(_, { kind, mark, address }) {
        const used = await records.warehouseCopies.place();
        if (mark === null || mark === used?.mark) {
          throw new WrongWarehouse(`the device sets of this service are already in ${address}`);
        }
        return { kind, mark: await records.warehouseCopies.claim(copyId, mark), address };
      },
    };
    const target = openClickhouseWarehouse({
      address: to.clickhouse!,
      records: { ...records.inPlace(copyId), places },
      graceSeconds: warehouseGraceSeconds,
      loading: shardLoading(config),
    });
    try {
      await target.checkReady();
      return target;
    } catch (error) {
      await target[Symbol.asyncDispose]();
      throw error;
    }
  }

  async function openFolder({ copyId }: WarehouseCopy): Promise<RunTransfer & AsyncDisposable> {
    const mark = await readOrCreateMark(dataDir);
    if ((await records.warehouseCopies.claim(copyId, mark)) !== mark) {
      throw new WrongWarehouse(
        'another worker copies to its data dir, which this worker does not share: use the same TRIBUTARY_DATA_DIR for all workers',
      );
    }
    const directory = warehouseFolder(config);
    await openRunsFolder(directory);
    const threads = createRunsThreads(availableParallelism());
    const verbs = createSetVerbs({
      directory,
      records: records.inPlace(copyId),
      pool: threads.sets,
      reserve: reserveOf(config),
      trash: openTrash(directory, config.trashDays),
    });
    return { ...verbs, [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose]() };
  }

  async function erase(place: WarehousePlace, isUnused: () => Promise<boolean>): Promise<boolean> {
    if (place.kind === 'folder') {
      if (place.mark === null) return true;
      // Another worker has that folder.
      if ((await readOrCreateMark(dataDir)) !== place.mark) return false;
      // A backup that began before the move copies its files.
      if (await records.objectIndex.blobsAreHeld()) return false;
      return await eraseFolder(warehouseFolder(config), isUnused);
    }
    const { eraseCluster } = await import('../../warehouse/clickhouse/erase-cluster.ts');
    const installation = await records.installation.identify();
    const used = await records.warehouseCopies.place();
    if (!(await isUnused())) return false;
    const erased = eraseCluster(
      place.clickhouse!,
      ({ owner, mark }) =>
        owner === installation && mark !== used?.mark && (place.mark ?? mark) === mark,
    );
    // Nothing was written to a place that was never reached.
    await (place.mark === null ? erased.catch(() => {}) : erased);
    return true;
  }
}
