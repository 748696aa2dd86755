import { pino } from 'pino';
import { createEndpoint } from '../../src/objects/endpoint/endpoint.ts';
import { createEndpointUploadLinks } from '../../src/objects/endpoint/signing/upload-links.ts';
import { freshDiskStore } from '../support/disk-store.ts';
import { openGuard } from '../support/guesses.ts';
import { describeUploadLinks } from './upload-links.ts';

const site = { bucket: 'tributary', region: 'us-east-1' };

describeUploadLinks('endpoint', async () => {
  await using setup = new AsyncDisposableStack();
  const { objects, database } = setup.use(await freshDiskStore());
  const { partners, apiKeys, storageCredentials: credentials } = database.records;
  const { partnerId, prefix } = await partners.create('acme');
  const { apiKeyId } = await apiKeys.create(partnerId, '');
  const endpoint = createEndpoint({
    guard: openGuard(),
    ...site,
    store: objects,
    credentials,
    corsOrigin: 'http://127.0.0.1:8080',
    log: pino({ level: 'silent' }),
  });
  const { port } = setup.use(await endpoint.listen('127.0.0.1', 0));
  const publicUrl = `http://127.0.0.1:${port}`;
  const resources = setup.move();
  return {
    links: async (now) => createEndpointUploadLinks({ ...site, publicUrl, credentials, now }),
    owner: { partnerId, apiKeyId },
    prefix,
    objects,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
});
