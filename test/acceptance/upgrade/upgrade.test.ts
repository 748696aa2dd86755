import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { unusedSchema } from '../../support/database.ts';
import { apiOf, deviceFile } from '../api.ts';
import { checkout, startService, temporaryFolder } from '../service.ts';
import { restoreDatabase } from './database-copy.ts';
import { releases, unpackRelease } from './release.ts';

test('there is data of a release', () => expect(releases).not.toEqual([]));

describe.each(releases)('the data of release %s', (version) => {
  test('is upgraded by a start, and everything goes on', async () => {
    await using folder = await temporaryFolder();
    await using database = unusedSchema();
    const release = await unpackRelease(version, folder.path);
    await restoreDatabase(release.database, database.url, database.schema);
    const dataDir = join(folder.path, 'data');
    await using service = await startService({
      dataDir,
      env: {
        DATABASE_URL: database.url,
        TRIBUTARY_DATABASE_SCHEMA: database.schema,
        TRIBUTARY_SECRET_KEY: release.secretKey,
        TRIBUTARY_ADMIN_TOKEN: release.adminToken,
      },
    });
    const api = apiOf(service);

    for (const [path, answer] of Object.entries(release.answers)) {
      const now = await (await api.call('GET', path, release.apiKey)).json();
      // Reports are computed again after the upgrade, with the same figures.
      const { computed_at: _, ...figures } = answer as { computed_at?: string };
      expect(now, path).toMatchObject(Array.isArray(answer) ? answer : figures);
    }
    const { apiKey, importLogId } = release.pending;
    expect(await api.ended(apiKey, importLogId)).toMatchObject({
      status: 2,
      unique_devices: '1500',
    });

    // Half of these devices are in runs of the release.
    await api.putObject(release.adminToken, 1, 'new.csv', deviceFile(1_000, 'tea', 3_501));
    const { import_log_id } = await api.queueImport(release.apiKey, 'new.csv', 1);
    await api.ended(release.apiKey, import_log_id);
    const tea = (await api.attributes(release.apiKey)).find(({ name }) => name.endsWith('Tea'));
    expect(tea?.unique_devices).toBe(4_500);

    // Encrypted and hashed secrets are still valid.
    const { bucket, key, ...credentials } = release.storage;
    using s3 = disposable(
      new S3Client({
        endpoint: service.s3Url,
        region: 'us-east-1',
        forcePathStyle: true,
        credentials,
      }),
    );
    const object = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    expect((await text(object.Body as NodeJS.ReadableStream)).split('\n')).toHaveLength(3_002);
    const session = await api.call('POST', '/v1/console/session', '', release.user);
    expect(session.status).toBe(201);

    const current = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')).version;
    expect(await readFile(join(dataDir, 'version'), 'utf8')).toBe(`${current}\n`);
  });
});

function disposable(client: S3Client): Disposable & { client: S3Client } {
  return { client, [Symbol.dispose]: () => client.destroy() };
}
