import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import type { PageTable } from '../file/page-table.ts';
import { createRowGroupBuilder } from '../file/row-group-builder.ts';
import { parquetMagic } from '../file/run-file-format.ts';
import { createPendingFile, type PendingFile } from '../file/run-file-writer.ts';
import type { WriteFooter } from './tasks/part-tasks.ts';

/**
 * The file of a load, created with the first write. Threads write its pages at offsets that it
 * assigns. If disposed before it is finished, it is deleted.
 */
export interface StagedFile extends AsyncDisposable {
  /** Returns the offset of the next `bytes` bytes. */
  reserve(bytes: number): number;
  /** Adds pages, written at `offset`, to the current run. */
  add(pages: PageTable, offset: number): void;
  fd(): Promise<number>;
  /** Ends the current run, if it has any pages. */
  endRun(segmentId: number): void;
  /** Makes the file durable and returns its runs. */
  finish(writeFooter: (end: WriteFooter) => Promise<void>): Promise<StagedRun[]>;
}

export interface StagedFileOptions {
  readonly directory: string;
  readonly file: string;
  register(): Promise<unknown>;
}

/** How many bytes are written between two syncs in the background. */
const bytesPerSync = 32 << 20;

export function createStagedFile({ directory, file, register }: StagedFileOptions): StagedFile {
  const builder = createRowGroupBuilder();
  const runs: StagedRun[] = [];
  let opening: Promise<PendingFile> | undefined;
  let offset = parquetMagic.length;
  let syncedUntil = 0;
  let lastSync: Promise<void> = Promise.resolve();

  async function create(): Promise<PendingFile> {
    await register();
    const created = await createPendingFile(directory, file);
    await created.handle.write(parquetMagic, 0, parquetMagic.length, 0).catch(async (error) => {
      await created[Symbol.asyncDispose]();
      throw error;
    });
    return created;
  }

  async function fd(): Promise<number> {
    opening ??= create();
    return (await opening).handle.fd;
  }

  /** Leaves little to sync at the end, when all threads wait for it. */
  function syncAhead(): void {
    syncedUntil = offset;
    lastSync = Promise.all([opening, lastSync]).then(([created]) => created?.handle.datasync());
    // The system reports a sync failure only once, so it is kept until `finish`.
    lastSync.catch(() => {});
  }

  return {
    reserve(bytes) {
      const begin = offset;
      offset += bytes;
      if (begin - syncedUntil >= bytesPerSync) syncAhead();
      return begin;
    },
    add: builder.add,
    fd,
    endRun(segmentId) {
      const run = builder.endRun();
      if (run) runs.push({ segmentId, file, ...run });
    },
    async finish(writeFooter) {
      if (runs.length === 0) return [];
      const { rowGroups } = builder;
      await writeFooter({ fd: await fd(), rowGroups, offset });
      await lastSync;
      await (await opening)?.finish();
      return runs;
    },
    async [Symbol.asyncDispose]() {
      const created = await opening?.catch(() => undefined);
      await lastSync.catch(() => {});
      await created?.[Symbol.asyncDispose]();
    },
  };
}
