import { pino } from 'pino';
import { describe } from 'vitest';
import { createEndpoint } from '../../src/objects/endpoint/endpoint.ts';
import { createS3Store } from '../../src/objects/s3/s3-store.ts';
import { freshDiskStore } from '../support/disk-store.ts';
import { machineHas } from '../support/requirements.ts';
import { startSwift, swiftOptions } from '../support/swift-server.ts';
import { describeObjectStore } from './object-store.ts';

describe.runIf(machineHas('swift'))('with OpenStack Swift', () => {
  describeObjectStore('s3', async () => {
    await using setup = new AsyncDisposableStack();
    const swift = setup.use(await startSwift());
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
      const disk = setup.use(await freshDiskStore());
      const credentials = { accessKeyId: 'TRIBTESTTESTTESTTEST', secretAccessKey: 'secret' };
      const endpoint = createEndpoint({
        store: disk.objects,
        credentials: {
          find: async (accessKeyId) =>
            accessKeyId === credentials.accessKeyId ? { prefix: '', ...credentials } : undefined,
        },
        bucket: 'tributary',
        region: 'us-east-1',
        corsOrigin: 'http://127.0.0.1:8080',
        log: pino({ level: 'silent' }),
      });
      const { port } = setup.use(await endpoint.listen('127.0.0.1', 0));
      const objects = setup.use(
        createS3Store({
          bucket: 'tributary',
          region: 'us-east-1',
          endpoint: `http://127.0.0.1:${port}`,
          credentials,
          pathStyle: true,
          checksums,
        }),
      );
      const resources = setup.move();
      return {
        objects,
        fill: disk.fill,
        [Symbol.asyncDispose]: () => resources.disposeAsync(),
      };
    });
  },
);
