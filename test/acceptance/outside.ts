import { createHash } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import { databaseOn, makeDatabase } from '../support/database-server.ts';
import type { StoreKeys } from '../support/provided.ts';

/**
 * Settings for a service with external servers, or none if this project has no such servers. Each data
 * dir has its own database, bucket and warehouse. A service that reuses the data dir also reuses those.
 */
export async function externalSettings(dataDir: string): Promise<Record<string, string>> {
  const outside = inject('outside');
  if (!outside) return {};
  const id = idOf(dataDir);
  const [name, bucket] = [`of_${id}`, `of-${id}`];
  const { serverUrl } = inject('database');
  const { endpoint, region, service } = outside.storage;
  await makeDatabase(serverUrl, name);
  const s3 = storageClient({ endpoint, region, ...service });
  await s3.send(new CreateBucketCommand({ Bucket: bucket })).catch((error: Error) => {
    if (error.name !== 'BucketAlreadyOwnedByYou') throw error;
  });
  s3.destroy();
  const [place] = placesOf(dataDir);
  return {
    DATABASE_URL: databaseOn(serverUrl, name),
    ...(place !== undefined && place !== 'files' && { TRIBUTARY_WAREHOUSE: place }),
    TRIBUTARY_BUCKET: bucket,
    TRIBUTARY_S3_ENDPOINT: endpoint,
    TRIBUTARY_S3_REGION: region,
    TRIBUTARY_S3_ACCESS_KEY_ID: service.accessKeyId,
    TRIBUTARY_S3_SECRET_ACCESS_KEY: service.secretAccessKey,
  };
}

/** The places between which the device sets of a service move. It starts in the first one. */
export function placesOf(dataDir: string): string[] {
  const warehouses = inject('outside')?.warehouses ?? [];
  return warehouses.map((place) => place.replace('/database?', `/of_${idOf(dataDir)}?`));
}

function idOf(dataDir: string): string {
  return createHash('md5').update(dataDir).digest('hex');
}

/** The key pair that the operator of an external store created for a partner. Our store creates its own. */
export function externalStoreKeys(partnerId: number): StoreKeys | undefined {
  const outside = inject('outside');
  if (!outside) return undefined;
  const keys = outside.storage.partners[partnerId];
  if (!keys) throw new Error(`no storage keys for partner ${partnerId}`);
  return keys;
}

/** An S3 client with these keys. */
export function storageClient(
  storage: StoreKeys & { readonly endpoint: string; readonly region: string },
): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey } = storage;
  const credentials = { accessKeyId, secretAccessKey };
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true });
}
