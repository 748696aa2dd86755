import { describe, inject } from 'vitest';
import { createS3Store } from '../../src/objects/s3/s3-store.ts';
import { machineHas } from '../support/requirements.ts';
import { sharedSwift } from '../support/shared-swift.ts';
import { swiftOptions } from '../support/swift-server.ts';
import { describeObjectStore } from './object-store.ts';
import { startS3Endpoint } from './s3-endpoint.ts';

describe.runIf(machineHas('swift'))('with OpenStack Swift', () => {
  describeObjectStore('s3', async () => {
    await using setup = new AsyncDisposableStack();
    const swift = setup.use(await sharedSwift(inject('swiftSocket')));
    const objects = setup.use(createS3Store(swiftOptions(swift)));
    const resources = setup.move();
    return {
      objects,
      fill: swift.enterInList,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  });
});

describe.each(['when_supported', 'when_required'] as const)(
  'with our own endpoint, checksums %s',
  (checksums) => {
    describeObjectStore('s3', async () => {
      await using setup = new AsyncDisposableStack();
      const { disk, options } = await startS3Endpoint(setup, checksums);
      const objects = setup.use(createS3Store(options));
      const resources = setup.move();
      return {
        objects,
        fill: disk.fill,
        [Symbol.asyncDispose]: () => resources.disposeAsync(),
      };
    });
  },
);
