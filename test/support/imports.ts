import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { queueDeletion } from '../../src/actions/queue-deletion.ts';
import { queueImport } from '../../src/actions/queue-import.ts';
import type { DiskReserve } from '../../src/domain/disk-reserve.ts';
import type { JobKind, KeyType } from '../../src/domain/job.ts';
import { createIntake } from '../../src/intake/intake.ts';
import {
  type AudienceLoadDependencies,
  createAudienceLoad,
} from '../../src/jobs/audience/audience-load.ts';
import { audienceParts } from '../../src/jobs/audience/audience-part.ts';
import { createDeletion } from '../../src/jobs/import/deletion.ts';
import { createImport, type ImportDependencies } from '../../src/jobs/import/import.ts';
import { importParts } from '../../src/jobs/import/import-part.ts';
import type { PartReaderDependencies } from '../../src/jobs/parts/read-parts.ts';
import type { JobHandler } from '../../src/jobs/worker/job-handler.ts';
import { openDiskStore } from '../../src/objects/disk/disk-store.ts';
import type { Database } from '../../src/records/database/connection.ts';
import type {
  DeletionRequest,
  ImportLog,
  ImportRequest,
} from '../../src/records/marketplace/import-logs.ts';
import type { Claim } from '../../src/records/queue/jobs.ts';
import { exactDisclosures } from './composition-counts.ts';
import { type FreshRecords, freshRecords } from './database.ts';
import { openTestWarehouse } from './warehouse.ts';

/** The parts that all kinds of jobs use. */
export interface JobParts extends ImportDependencies, AudienceLoadDependencies {}

export interface Imports extends AsyncDisposable, JobParts {
  readonly db: Database;
  /** The address of the same records, for other processes. */
  readonly database: Pick<FreshRecords, 'url' | 'schema'>;
  readonly warehouseDir: string;
  partner(): Promise<ImportingPartner>;
  /** Claims the next job without running it. */
  claim(): Promise<Claim>;
  /** Runs a job; the given parts replace the real ones. */
  run(claim: Claim, instead?: Partial<JobParts>, signal?: AbortSignal): Promise<void>;
}

/** A partner with files and attributes; paths are relative to its prefix. */
export interface ImportingPartner {
  readonly partnerId: number;
  readonly prefix: string;
  attribute(partnerForeignKey?: string): Promise<number>;
  put(path: string, content: string | Uint8Array): Promise<void>;
  queue(filePath: string, asked?: KeyType | Partial<ImportRequest>): Promise<number>;
  /** Queues and runs an import, and returns its log. */
  import(
    filePath: string,
    asked?: KeyType | Partial<ImportRequest>,
    instead?: Partial<JobParts>,
  ): Promise<ImportLog>;
  /** Queues and runs a deletion of the data of attributes, by attribute ID unless stated otherwise. */
  delete(
    keys: readonly (string | number)[],
    asked?: Partial<DeletionRequest>,
    instead?: Partial<JobParts>,
  ): Promise<ImportLog>;
  log(importLogId: number): Promise<ImportLog | undefined>;
  /** The device counts of its attributes, in the order of creation. */
  counts(): Promise<number[]>;
}

const { signal: never } = new AbortController();

/** All tests of a process share its threads, each of which takes 70 ms of CPU to start. */
const intake = createIntake({ threads: 2 });

export function jobKinds(parts: JobParts): Readonly<Record<JobKind, JobHandler>> {
  return {
    import: createImport(parts),
    deletion: createDeletion(parts),
    audience: createAudienceLoad(parts),
  };
}

/** The kinds of jobs of which other workers read parts. */
export function partKinds(parts: JobParts): PartReaderDependencies['kinds'] {
  return { import: importParts(parts), audience: audienceParts(parts) };
}

/** Where objects and device sets are stored, instead of a new folder. */
export interface LimitedDisk {
  readonly path: string;
  readonly reserve: DiskReserve;
}

/** Everything that an import uses, real and empty: records, objects and the warehouse. */
export async function freshImports(
  disk?: LimitedDisk,
  instead?: Partial<JobParts>,
): Promise<Imports> {
  await using setup = new AsyncDisposableStack();
  const folder = disk?.path ?? (await mkdtemp(join(tmpdir(), 'tributary-imports-')));
  if (!disk) setup.defer(() => rm(folder, { recursive: true }));
  const { records, db, url, schema } = setup.use(await freshRecords());
  const warehouseDir = join(folder, 'warehouse');
  const deps: JobParts = {
    records,
    objects: await openDiskStore(
      join(folder, 'objects'),
      records.objectIndex,
      records.uploads,
      disk?.reserve,
    ),
    intake,
    warehouse: setup.use(await openTestWarehouse(warehouseDir, records, disk?.reserve)),
    openPartnerBucket() {
      throw new Error('the test did not provide a partner bucket');
    },
    rejectLimit: 0.05,
    maxFiles: 1_000,
    disclosures: exactDisclosures,
    log: pino({ level: 'silent' }),
    ...instead,
  };
  const resources = setup.move();

  async function claim(): Promise<Claim> {
    const claimed = await records.jobs.claim(60);
    if (!claimed) throw new Error('no job to claim');
    return claimed;
  }

  async function run(
    claimed: Claim,
    instead: Partial<JobParts> = {},
    signal: AbortSignal = never,
  ): Promise<void> {
    await jobKinds({ ...deps, ...instead })[claimed.kind].run(claimed, signal);
  }

  async function partner(): Promise<ImportingPartner> {
    const { partnerId, prefix } = await records.partners.create('acme');
    const log = (importLogId: number) => records.importLogs.find(partnerId, importLogId);
    const queue = (filePath: string, asked: KeyType | Partial<ImportRequest> = {}) => {
      const more = typeof asked === 'number' ? { keyType: asked } : asked;
      return queueImport(records, partnerId, { filePath, keyType: 0, pathType: 0, ...more });
    };

    async function done(importLogId: number, instead?: Partial<JobParts>) {
      await run(await claim(), instead);
      const ended = await log(importLogId);
      if (!ended) throw new Error('the job has no log');
      return ended;
    }

    return {
      partnerId,
      prefix,
      log,
      queue,
      attribute: (partnerForeignKey) =>
        records.attributes.create(partnerId, {
          name: 'Interests > Tea',
          description: '',
          partnerForeignKey: partnerForeignKey ?? null,
        }),
      async put(path, content) {
        await deps.objects.put(prefix + path, chunks(content));
      },
      import: async (filePath, asked, instead) => done(await queue(filePath, asked), instead),
      async delete(keys, asked, instead) {
        const request = { keyType: 0, withDefinitions: false, ...asked } as const;
        const queued = { ...request, keys: keys.map(String) };
        return done(await queueDeletion(records, partnerId, queued), instead);
      },
      async counts() {
        const attributes = await records.attributes.list(partnerId, { after: null, limit: 1_000 });
        return attributes.map(({ uniqueDevices }) => uniqueDevices);
      },
    };
  }

  return {
    ...deps,
    db,
    database: { url, schema },
    warehouseDir,
    partner,
    claim,
    run,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function* chunks(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}
