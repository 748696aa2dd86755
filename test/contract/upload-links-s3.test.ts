import { pino } from 'pino';
import { describe } from 'vitest';
import { createEndpoint } from '../../src/objects/endpoint/endpoint.ts';
import type { S3Options } from '../../src/objects/s3/s3-client.ts';
import { createS3Store } from '../../src/objects/s3/s3-store.ts';
import { createS3UploadLinks } from '../../src/objects/s3/upload-links.ts';
import { freshDiskStore } from '../support/disk-store.ts';
import { machineHas } from '../support/requirements.ts';
import { startSwift, swiftOptions } from '../support/swift-server.ts';
import { describeUploadLinks, type UploadLinksUnderTest } from './upload-links.ts';

function linksTo(options: S3Options, setup: AsyncDisposableStack): UploadLinksUnderTest {
  const objects = setup.use(createS3Store(options));
  const resources = setup.move();
  return {
    links: (now) => createS3UploadLinks(options, now),
    partnerId: 1,
    prefix: 'partner-1/',
    objects,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

describe.runIf(machineHas('swift'))('with OpenStack Swift', () => {
  describeUploadLinks('s3', async () => {
    await using setup = new AsyncDisposableStack();
    const swift = setup.use(await startSwift());
    return linksTo(swiftOptions(swift), setup);
  });
});

// With the settings for AWS, whose checksums must not become part of a link.
describe('with our own endpoint', () => {
  describeUploadLinks('s3', async () => {
    await using setup = new AsyncDisposableStack();
    const disk = setup.use(await freshDiskStore());
    const credentials = { accessKeyId: 'TRIBTESTTESTTESTTEST', secretAccessKey: 'secret' };
    const site = { bucket: 'tributary', region: 'us-east-1' };
    const endpoint = createEndpoint({
      ...site,
      store: disk.objects,
      credentials: { find: async () => ({ prefix: '', ...credentials }) },
      corsOrigin: 'http://127.0.0.1:8080',
      log: pino({ level: 'silent' }),
    });
    const { port } = setup.use(await endpoint.listen('127.0.0.1', 0));
    const options: S3Options = {
      ...site,
      endpoint: `http://127.0.0.1:${port}`,
      credentials,
      pathStyle: true,
      checksums: 'when_supported',
    };
    return linksTo(options, setup);
  });
});
