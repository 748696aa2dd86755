import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect } from 'vitest';
import { readConfig, type ServingConfig } from '../../../../src/config/config.ts';
import { readOrCreateMark } from '../../../../src/data-dir/data-dir.ts';
import { ManifestConflict, TributaryError } from '../../../../src/domain/errors.ts';
import {
  describeClickhouse,
  type WarehouseAddress,
} from '../../../../src/domain/warehouse/address.ts';
import { warehouseCopyTask } from '../../../../src/process/warehouse/copy-task.ts';
import { findWarehouse } from '../../../../src/process/warehouse/find-warehouse.ts';
import { openClickhouseWarehouse } from '../../../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import type { MaintainedWarehouse } from '../../../../src/warehouse/port.ts';
import { temporaryFolder } from '../../../acceptance/service.ts';
import { device, merging } from '../../../contract/warehouse-bench.ts';
import { testLoading } from '../../../support/clickhouse-world.ts';
import { freshRecords } from '../../../support/database.ts';
import { rowBatch } from '../../../support/row-batches.ts';
import { openTestWarehouse } from '../../../support/warehouse.ts';

const { signal } = new AbortController();

/** Records, a data dir, and the warehouse wherever the device sets are. The model has what they should hold. */
export async function openCopyWorld(settings: WarehouseAddress = null) {
  await using setup = new AsyncDisposableStack();
  const { records, db } = setup.use(await freshRecords());
  const dataDir = setup.use(await temporaryFolder()).path;
  const env = { TRIBUTARY_DATA_DIR: dataDir, DATABASE_URL: 'postgres://unused' };
  const config = { ...readConfig(env, dataDir), clickhouse: settings } as ServingConfig;
  const directory = join(dataDir, 'warehouse');
  const model = new Map<number, Set<number>>();
  const resources = setup.move();
  let warehouse: MaintainedWarehouse | undefined;
  let jobs = 0;

  if (!settings) {
    const mark = await readOrCreateMark(dataDir);
    await records.places.register('device sets', { kind: 'folder', mark, address: dataDir });
  }

  /** Opens the place in use, as a process does when it starts. */
  async function open(): Promise<MaintainedWarehouse> {
    await warehouse?.[Symbol.asyncDispose]();
    const { config: used, place } = await findWarehouse(config, records);
    const inPlace = records.inPlace(place?.copyId ?? null);
    warehouse = used.clickhouse
      ? openClickhouseWarehouse({
          address: used.clickhouse,
          records: inPlace,
          graceSeconds: 0,
          profiledFrom: 2,
          loading: testLoading,
        })
      : await openTestWarehouse(directory, inPlace);
    await warehouse.checkReady();
    return warehouse;
  }

  async function task() {
    const { config: used, place } = await findWarehouse(config, records);
    const log = pino({ enabled: false });
    return warehouseCopyTask({ config: used, records, warehouse: warehouse!, place, log });
  }

  async function stage(segmentId: number, numbers: readonly number[], with_ = warehouse!) {
    await using load = with_.beginLoad({ jobId: ++jobs, attempt: 1 });
    await load.add(rowBatch(numbers.map((number) => ({ device: device(number), numbers: [0] }))));
    return await load.stage(merging(segmentId), signal);
  }

  const world = {
    records,
    db,
    directory,
    model,
    open,
    stage,
    task,
    current: () => warehouse!,
    newSegment: async (kind: 'attribute' | 'audience' = 'attribute') => {
      const segmentId = await records.segments.create(kind);
      model.set(segmentId, new Set());
      return segmentId;
    },

    /** Loads as a job does: what was moved or replaced meanwhile is done again. */
    async load(segmentId: number, numbers: readonly number[]): Promise<void> {
      for (;;) {
        try {
          const { change } = await stage(segmentId, numbers);
          await records.inTransaction((tx) => tx.manifest.apply(change));
          for (const number of numbers) model.get(segmentId)!.add(number);
          return;
        } catch (error) {
          const isMoved = error instanceof TributaryError && error.code === 'unavailable';
          if (!isMoved && !(error instanceof ManifestConflict)) throw error;
          if (isMoved) await open();
        }
      }
    },

    async request(to: WarehouseAddress) {
      const copy = await records.warehouseCopies.request({
        kind: to ? 'clickhouse' : 'folder',
        address: to ? describeClickhouse(to) : dataDir,
        clickhouse: to,
      });
      return copy!.copyId;
    },

    /** Lets the task work until the copy has ended, and opens the new place. */
    async copyTo(to: WarehouseAddress): Promise<void> {
      const copyId = await world.request(to);
      await (await task()).run(signal);
      expect((await records.warehouseCopies.find(copyId))?.state).toBe('done');
      await open();
    },

    async forget(): Promise<void> {
      const copy = (await records.warehouseCopies.latest())!;
      expect(await records.warehouseCopies.move(copy.copyId, 'done', 'forgetting')).toBe(true);
      await (await task()).run(signal);
      expect((await records.warehouseCopies.latest())?.state).toBe('forgotten');
    },

    /** Reads every segment where it is now, and the universe. */
    async expectModel(): Promise<void> {
      const now = warehouse!;
      const { segmentId } = await now.refreshUniverse(signal);
      const ids = [...model.keys()];
      const kinds = await db.selectFrom('segment').selectAll().execute();
      const attributes = ids.filter((id) =>
        kinds.some((row) => row.segment_id === id && row.kind === 'attribute'),
      );
      for (const id of ids) expect(await read(now, id)).toEqual(devicesOf(model.get(id)!));
      const union = new Set(attributes.flatMap((id) => [...model.get(id)!]));
      expect(await read(now, segmentId)).toEqual(devicesOf(union));
      const counts = await now.overlap({ segmentId }, attributes, signal);
      expect(counts).toEqual(attributes.map((id) => model.get(id)!.size));
    },

    files: async () => (await readdir(directory)).filter((name) => name !== 'trash').sort(),

    async [Symbol.asyncDispose]() {
      await warehouse?.[Symbol.asyncDispose]();
      await resources.disposeAsync();
    },
  };
  await open();
  return world;
}

export type CopyWorld = Awaited<ReturnType<typeof openCopyWorld>>;

/** The devices of a segment, as hexadecimal digits. */
async function read(warehouse: MaintainedWarehouse, segmentId: number): Promise<string[]> {
  const found: string[] = [];
  for await (const words of warehouse.read({ segmentId }, signal)) {
    for (let at = 0; at < words.length; at += 4) {
      const hex = [...words.subarray(at, at + 4)].map((word) => word.toString(16).padStart(8, '0'));
      found.push(hex.join(''));
    }
  }
  return found.sort();
}

function devicesOf(numbers: Iterable<number>): string[] {
  return [...numbers].map((number) => device(number).replaceAll('-', '').toLowerCase()).sort();
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
