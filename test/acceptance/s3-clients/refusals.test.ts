import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { availableClients } from './all-clients.ts';
import { awsSdk } from './aws-sdk.ts';
import type { Connection } from './storage-client.ts';
import { startUploadingService, type UploadingService } from './uploading-service.ts';

let world: UploadingService;
let own: Awaited<ReturnType<UploadingService['partner']>>;
let other: typeof own;
let others: Connection;
let file: string;

beforeAll(async () => {
  world = await startUploadingService();
  own = await world.partner('acme');
  other = await world.partner('globex');
  file = join(world.folder, 'file');
  await writeFile(file, 'devices');
  others = await world.connect(awsSdk, other);
  await others.put(file, `${other.prefix}secret`);
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe.each(availableClients())('%s is refused', (_, client) => {
  test('access to everything under another partner’s prefix', async () => {
    const connection = await world.connect(client, own);
    const secret = `${other.prefix}secret`;
    expect(await refusal(connection.list(other.prefix))).toMatch(/AccessDenied/);
    expect(await refusal(connection.get(secret))).toMatch(/AccessDenied|403/);
    expect(await refusal(connection.put(file, `${other.prefix}planted`))).toMatch(
      /AccessDenied|403/,
    );
    expect(await refusal(connection.copy(secret, `${own.prefix}stolen`))).toMatch(
      /AccessDenied|403/,
    );
    // rclone reports only that the deletion failed.
    await expect(connection.delete(secret)).rejects.toThrow();
    expect(await others.list(other.prefix)).toEqual([secret]);
    expect((await others.get(secret)).toString()).toBe('devices');
  });

  test('with a wrong secret', async () => {
    const secretAccessKey = 'x'.repeat(own.secretAccessKey.length);
    const connection = await world.connect(client, { ...own, secretAccessKey });
    expect(await refusal(connection.list(own.prefix))).toMatch(/SignatureDoesNotMatch/);
    expect(await refusal(connection.put(file, `${own.prefix}planted`))).toMatch(
      /SignatureDoesNotMatch|403/,
    );
  });

  test('with credentials as soon as they are revoked', async () => {
    const leaving = await world.partner(`leaving by ${client.name}`);
    const connection = await world.connect(client, leaving);
    await connection.put(file, `${leaving.prefix}file`);
    await world.revoke(leaving);
    expect(await refusal(connection.list(leaving.prefix))).toMatch(/InvalidAccessKeyId/);
    expect(await refusal(connection.get(`${leaving.prefix}file`))).toMatch(
      /InvalidAccessKeyId|403/,
    );
  });
});

/** The client's error: S3's code, or only the status if the client sent a HEAD first. */
async function refusal(action: Promise<unknown>): Promise<string> {
  return action.then(
    () => 'not refused',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}
