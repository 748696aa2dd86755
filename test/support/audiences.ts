import { appendToAudience } from '../../src/actions/append-to-audience.ts';
import { clearAudience } from '../../src/actions/clear-audience.ts';
import { createAudience } from '../../src/actions/create-audience.ts';
import type { AudienceDetails } from '../../src/records/audiences/audiences.ts';
import {
  type AttributeDevices,
  type Composition,
  devicesIn,
  type ListedAttribute,
} from '../../src/records/audiences/compositions.ts';
import type { Records } from '../../src/records/records.ts';
import { freshImports, type ImportingPartner, type Imports, type JobParts } from './imports.ts';

export interface Audiences extends Imports {
  partner(): Promise<LoadingPartner>;
  /** Runs all waiting jobs, one after another. */
  work(instead?: Partial<JobParts>): Promise<void>;
}

/** A partner that loads audiences; paths are relative to its prefix. */
export interface LoadingPartner extends ImportingPartner {
  /** Queues the first load of a new audience. */
  create(path: string): Promise<number>;
  append(audienceId: number, path: string): Promise<void>;
  clear(audienceId: number): Promise<void>;
  details(audienceId: number): Promise<AudienceDetails>;
  /** The state of each file, by path. */
  files(audienceId: number): Promise<Record<string, string>>;
  /** The device count of each label, in the order of the labels. */
  labels(audienceId: number): Promise<Record<string, number>>;
  composition(audienceId: number): Promise<WholeComposition | undefined>;
}

/** Everything that the load of an audience uses, real and empty. */
export async function freshAudiences(): Promise<Audiences> {
  const imports = await freshImports(undefined, { pendingBytes, foldWaitMs });
  const { records } = imports;

  async function partner(): Promise<LoadingPartner> {
    const importing = await imports.partner();
    const { partnerId, prefix } = importing;
    const scope = { partnerId, customerId: null };

    async function details(audienceId: number): Promise<AudienceDetails> {
      const found = await records.audiences.details(scope, audienceId);
      if (!found) throw new Error(`unknown audience ${audienceId}`);
      return found;
    }

    return {
      ...importing,
      details,
      async create(path) {
        const { audienceId } = await createAudience(records, scope, 'Tea', prefix + path);
        return audienceId;
      },
      async append(audienceId, path) {
        await appendToAudience(records, scope, audienceId, prefix + path);
      },
      async clear(audienceId) {
        await clearAudience(records, scope, audienceId);
      },
      async files(audienceId) {
        const { files } = await details(audienceId);
        const entries = files.map(({ s3Path, state, rowsUploaded }) => [
          s3Path.slice(prefix.length),
          `${state}, ${rowsUploaded} rows`,
        ]);
        return Object.fromEntries(entries);
      },
      async labels(audienceId) {
        const labels = await records.audienceLabels.of(audienceId);
        const runs = await records.manifest.runsOf(labels.map(({ segmentId }) => segmentId));
        const entries = labels.map(({ label, segmentId }) => {
          const own = runs.filter((run) => run.segmentId === segmentId);
          return [label, own.reduce((sum, { devices }) => sum + devices, 0)];
        });
        return Object.fromEntries(entries);
      },
      composition: (audienceId) => wholeComposition(records, audienceId),
    };
  }

  return {
    ...imports,
    partner,
    async work(instead) {
      for (;;) {
        const claim = await records.jobs.claim(60);
        if (!claim) return;
        await imports.run(claim, instead);
      }
    },
  };
}

/** A file with this many rows is too large to share a load, so it has its own commit. */
export const largeRows = 20_000;
const pendingBytes = 256 * 1024;
/** A fold is quick here, but not on a busy machine. */
const foldWaitMs = 60_000;

/** Rows of other devices than the numbered ones, all with the same label. */
export function largeFile(label: string): string {
  return Array.from({ length: largeRows }, (_, n) => {
    const head = (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
    return `${head}-0000-4000-8000-000000000000,${label}\n`;
  }).join('');
}

type WholeComposition = Composition & {
  readonly attributes: readonly (ListedAttribute & AttributeDevices)[];
};

/** A composition with all its attributes. */
export async function wholeComposition(
  records: Records,
  audienceId: number,
): Promise<WholeComposition | undefined> {
  const composition = await records.compositions.find(audienceId);
  if (!composition) return undefined;
  const page = { after: null, limit: 10_000 };
  const attributes = await records.compositions.attributes(page);
  return {
    ...composition,
    attributes: attributes.map((attribute) => ({
      ...attribute,
      ...devicesIn(composition.counted, attribute.segmentId),
    })),
  };
}
