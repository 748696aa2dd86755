import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import type { PageTable } from '../file/page-table.ts';
import { createRowGroupBuilder } from '../file/row-group-builder.ts';
import { parquetMagic } from '../file/run-file-format.ts';
import { createUnnamedFile, type UnnamedFile } from '../file/run-file-writer.ts';
import type { WriteEnd } from './tasks/part-tasks.ts';

/**
 * The one file of a load, made when there is something to write. Threads write its pages where this
 * says; disposed of before it has finished, it leaves nothing behind.
 */
export interface StagedFile extends AsyncDisposable {
  /** Where the next so many bytes go. */
  reserve(bytes: number): number;
  /** Pages of the run under way; their offsets are from that place on. */
  add(pages: PageTable, place: number): void;
  fd(): Promise<number>;
  /** Ends a run, if there is anything of it. */
  endRun(segmentId: number): void;
  /** All runs, durable. */
  finish(writeEnd: (end: WriteEnd) => Promise<void>): Promise<StagedRun[]>;
}

export interface StagedFileOptions {
  readonly directory: string;
  readonly file: string;
  announce(): Promise<unknown>;
}

/** Between times at which the disk is asked to take in what is written so far. */
const bytesPerSync = 32 << 20;

export function createStagedFile({ directory, file, announce }: StagedFileOptions): StagedFile {
  const builder = createRowGroupBuilder();
  const runs: StagedRun[] = [];
  let opening: Promise<UnnamedFile> | undefined;
  let offset = parquetMagic.length;
  let syncedUntil = 0;
  let lastSync: Promise<void> = Promise.resolve();

  async function create(): Promise<UnnamedFile> {
    await announce();
    const created = await createUnnamedFile(directory, file);
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

  /** So that little is left to wait for at the end, when nothing else is left to do. */
  function syncAhead(): void {
    syncedUntil = offset;
    lastSync = Promise.all([opening, lastSync]).then(([created]) => created?.handle.datasync());
    // The system tells a failure only once, so it is kept until the end.
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
    async finish(writeEnd) {
      if (runs.length === 0) return [];
      const { rowGroups } = builder;
      await writeEnd({ fd: await fd(), rowGroups, offset });
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
