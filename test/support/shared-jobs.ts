import { pino } from 'pino';
import type { SharingLimits } from '../../src/jobs/parts/plan-parts.ts';
import { createPartReader } from '../../src/jobs/parts/read-parts.ts';
import type { ObjectStore } from '../../src/objects/port.ts';
import type { Records } from '../../src/records/records.ts';
import { type Imports, type JobParts, partKinds } from './imports.ts';

/** Every job of at least two parts is shared. A file of a few hundred rows is cut. */
export const sharing: SharingLimits = { leastBytes: 0, leastBytesPerFile: 0, bytesPerPart: 2_000 };

const { signal: never } = new AbortController();

/** What the worker that has a job uses. It waits before it reads anything. */
export interface Owner {
  readonly parts: Partial<JobParts>;
  /** Lets the worker read. */
  begin(): void;
  /** Resolves when the worker wants to read the first part. */
  readonly waits: Promise<void>;
}

/** A worker that believes that there are others. */
export function sharingOwner(imports: Imports, instead: Partial<JobParts> = {}): Owner {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: waits, resolve: reportWait } = Promise.withResolvers<void>();
  const jobParts = { ...imports.records.jobParts, haveOtherWorkers: async () => true };
  const records: Records = { ...imports.records, jobParts };
  const store = instead.objects ?? imports.objects;
  const objects: ObjectStore = {
    ...store,
    async *open(version, offset) {
      // The beginning of a large file is read before it is shared.
      const isShared = (await imports.db.selectFrom('job_part').selectAll().execute()).length > 0;
      if (isShared) {
        reportWait();
        await begun;
      }
      yield* store.open(version, offset);
    },
  };
  return { parts: { sharing, ...instead, records, objects }, begin, waits };
}

export interface PartsHelper {
  /** Takes parts and reads them. False if there are none. */
  help(instead?: { objects?: ObjectStore; signal?: AbortSignal }): Promise<boolean>;
  readonly logged: readonly string[];
}

/** A worker that reads parts of others' jobs. */
export function partsHelper(imports: Imports, leaseSeconds = 10): PartsHelper {
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  return {
    logged,
    async help({ objects = imports.objects, signal = never } = {}) {
      const parts = { ...imports, objects, log };
      const kinds = partKinds(parts);
      const read = await createPartReader({ ...parts, leaseSeconds, kinds })([]);
      await read?.(signal);
      return read !== undefined;
    },
  };
}

/**
 * Runs the next job, of which another worker reads what it can before this one begins. Returns how many
 * parts that were.
 */
export async function runShared(
  imports: Imports,
  instead: Partial<JobParts> = {},
): Promise<number> {
  const owner = sharingOwner(imports, instead);
  const running = imports.run(await imports.claim(), owner.parts);
  const helper = partsHelper(imports);
  try {
    await Promise.race([owner.waits, running]);
    while (await helper.help());
  } finally {
    owner.begin();
    await running;
  }
  const counts = helper.logged.map((line) => (JSON.parse(line) as { parts?: number }).parts ?? 0);
  return counts.reduce((sum, parts) => sum + parts, 0);
}
