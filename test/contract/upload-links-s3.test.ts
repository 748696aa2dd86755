import { describe, inject } from 'vitest';
import type { S3Options } from '../../src/objects/s3/s3-client.ts';
import { createS3Store } from '../../src/objects/s3/s3-store.ts';
import { createS3UploadLinks } from '../../src/objects/s3/upload-links.ts';
import { machineHas } from '../support/requirements.ts';
import { sharedSwift } from '../support/shared-swift.ts';
import { swiftOptions } from '../support/swift-server.ts';
import { startS3Endpoint } from './s3-endpoint.ts';
import { describeUploadLinks, type UploadLinksUnderTest } from './upload-links.ts';

function linksTo(options: S3Options, setup: AsyncDisposableStack): UploadLinksUnderTest {
  const objects = setup.use(createS3Store(options));
  const resources = setup.move();
  return {
    links: (now) => createS3UploadLinks(options, now),
    owner: { partnerId: 1, apiKeyId: 1 },
    prefix: 'partner-1/',
    objects,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

describe.runIf(machineHas('swift'))('with OpenStack Swift', () => {
  describeUploadLinks('s3', async () => {
    await using setup = new AsyncDisposableStack();
    const swift = setup.use(await sharedSwift(inject('swiftSocket')));
    return linksTo(swiftOptions(swift), setup);
  });
});

// With the settings for AWS, whose checksums must not become part of a link.
describe('with our own endpoint', () => {
  describeUploadLinks('s3', async () => {
    await using setup = new AsyncDisposableStack();
    const { options } = await startS3Endpoint(setup, 'when_supported');
    return linksTo(options, setup);
  });
});
