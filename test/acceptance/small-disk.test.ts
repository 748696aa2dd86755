import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteObjectsCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { machineHas } from '../support/requirements.ts';
import { mountDisk } from '../support/small-disk.ts';
import { adminTokenOf } from './api.ts';
import { sdkClient } from './s3-clients/aws-sdk.ts';
import { startWithPartner } from './service-with-partner.ts';

const mebibyte = 1024 ** 2;

describe.runIf(machineHas('root'))('a service on a disk that a partner fills', () => {
  test('refuses uploads and loads, and still reads, deletes and reports', async () => {
    await using disk = await mountDisk('size=400m,mode=711');
    const dataDir = join(disk.path, 'data');
    const env = { TRIBUTARY_DISK_RESERVE: '150MiB' };
    const world = await startWithPartner(dataDir, { env });
    await using service = world.service;
    const { api, apiKey } = world;
    const adminToken = await adminTokenOf(dataDir);
    const credentials = await api.createStorageCredentials(adminToken, 2);
    const s3 = sdkClient(credentials);
    const { bucket: Bucket, prefix } = credentials;
    const at = (name: string) => ({ Bucket, Key: prefix + name });
    const put = (name: string, bytes = 16 * mebibyte) =>
      s3.send(new PutObjectCommand({ ...at(name), Body: new Uint8Array(bytes) })).then(
        () => 200,
        (error) => error.$metadata.httpStatusCode as number,
      );

    await world.put('few.csv', 'id,attribute_ids\n00000000-0000-4000-8000-000000000001,k\n');
    let stored = 0;
    for (const bytes of [16 * mebibyte, mebibyte]) {
      while ((await put(`file-${stored}`, bytes)) === 200) stored++;
    }
    expect(await put('another')).toBe(507);
    const { bavail, bsize } = await statfs(disk.path);
    expect(bavail * bsize).toBeGreaterThan(140 * mebibyte);

    const { import_log_id } = await api.queueImport(apiKey, 'few.csv', 1);
    expect(await api.ended(apiKey, import_log_id)).toMatchObject({
      status: 3,
      errors: [{ code: 'storage_full' }],
    });
    const ready = await fetch(`${service.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { checks: { database: 'ok', disk: 'below the reserve' } },
    ]);
    expect((await s3.send(new GetObjectCommand(at('file-0')))).ContentLength).toBe(16 * mebibyte);
    expect((await api.call('GET', '/admin/v1/status', adminToken)).status).toBe(200);
    expect((await api.call('POST', '/admin/v1/partners', adminToken, { name: 'b' })).status).toBe(
      201,
    );

    const Objects = Array.from({ length: stored }, (_, i) => ({ Key: `${prefix}file-${i}` }));
    const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Errors).toBeUndefined();
    expect(await put('another')).toBe(200);
    const again = await api.queueImport(apiKey, 'few.csv', 1);
    expect(await api.ended(apiKey, again.import_log_id)).toMatchObject({ status: 2 });
  });
});
