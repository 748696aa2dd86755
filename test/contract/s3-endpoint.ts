import { pino } from 'pino';
import { createEndpoint } from '../../src/objects/endpoint/endpoint.ts';
import type { S3Options } from '../../src/objects/s3/s3-client.ts';
import { type FreshDiskStore, freshDiskStore } from '../support/disk-store.ts';
import { openGuard } from '../support/guesses.ts';

/** Starts our own endpoint over a fresh disk store; returns the options of an S3 client for it. */
export async function startS3Endpoint(
  setup: AsyncDisposableStack,
  checksums: S3Options['checksums'],
): Promise<{ disk: FreshDiskStore; options: S3Options }> {
  const disk = setup.use(await freshDiskStore());
  const credentials = { accessKeyId: 'TRIBTESTTESTTESTTEST', secretAccessKey: 'secret' };
  const owner = { prefix: '', partnerId: 1, apiKeyId: null };
  const site = { bucket: 'tributary', region: 'us-east-1' };
  const endpoint = createEndpoint({
    guard: openGuard(),
    ...site,
    store: disk.objects,
    credentials: {
      find: async (accessKeyId) =>
        accessKeyId === credentials.accessKeyId ? { ...owner, ...credentials } : undefined,
    },
    corsOrigin: 'http://127.0.0.1:8080',
    log: pino({ level: 'silent' }),
  });
  const { port } = setup.use(await endpoint.listen('127.0.0.1', 0));
  const url = `http://127.0.0.1:${port}`;
  return { disk, options: { ...site, endpoint: url, credentials, pathStyle: true, checksums } };
}
