import { gzipped } from '../../bench/generate/gzip.ts';
import type { ImportLog } from '../../src/cli/output/import-log-text.ts';
import { bytes, count } from '../../src/cli/output/print.ts';
import { watchJob } from '../../src/cli/watch/watch-job.ts';
import { ApiError, answerOf } from '../../src/client/client.ts';
import { csvChunks } from '../files/csv-chunks.ts';
import { createSellerLines, sellerHeader } from '../files/seller-file.ts';
import { taxonomyCsv } from '../people/taxonomy.ts';
import type { Population } from '../people/traits.ts';
import type { Narration } from './narration.ts';
import type { Partner } from './provision.ts';
import { upload } from './upload.ts';

const path = 'marketplace/devices.csv.gz';
const samplePath = 'marketplace/sample.csv';
const sampleDevices = 20_000;

/** Loads a partner's taxonomy, a dry run of a sample, and then all its devices. */
export async function loadMarketplace(
  partner: Partner,
  population: Population,
  narration: Narration,
): Promise<void> {
  const { name, attributes } = partner.seller;
  await postTaxonomy(partner);
  await trySample(partner, population);

  await narration.deviceStep(
    `${name} uploads its devices`,
    population.devices,
    (onProgress) => {
      const lines = createSellerLines(partner.seller, population);
      const content = csvChunks(sellerHeader, population.devices, lines, onProgress);
      // Level 1, because compressing is not what the demo shows.
      return upload(partner.storage, path, gzipped(content, 1));
    },
    (size) => `${name} uploaded ${bytes(size)}`,
  );
  await narration.step(
    async () => {
      const id = await queued(partner, { file_path: path });
      return done(await watchJob(partner.own, String(id), narration.terminal));
    },
    ({ total_rows, unique_devices }) =>
      `${name} imported ${count(Number(total_rows))} rows: ` +
      `${count(Number(unique_devices))} devices with ${attributes.length} attributes`,
  );
}

async function postTaxonomy({ own, seller }: Partner): Promise<void> {
  await answerOf(
    own.POST('/v1/marketplace/attribute', {
      body: taxonomyCsv(seller),
      bodySerializer: String,
      headers: { 'content-type': 'text/csv' },
    }),
  );
}

/** A dry run of a file with too many hashed IDs, to show a failed import with its reasons. */
async function trySample(partner: Partner, population: Population): Promise<void> {
  const devices = Math.min(sampleDevices, population.devices);
  const lines = createSellerLines(partner.seller, population, 12);
  await upload(
    partner.storage,
    samplePath,
    csvChunks(sellerHeader, devices, lines, () => {}),
  );
  await queued(partner, { file_path: samplePath, dry_run: true });
}

interface ImportRequest {
  readonly file_path: string;
  readonly dry_run?: boolean;
}

async function queued({ own }: Partner, request: ImportRequest): Promise<number> {
  const body = { ...request, key_type: 1 } as const;
  return (await answerOf(own.POST('/v1/marketplace/import', { body }))).import_log_id;
}

function done(log: ImportLog): ImportLog {
  if (log.status === 2) return log;
  throw new ApiError(`import ${log.import_log_id} failed: ${log.errors?.[0]?.message}`);
}
