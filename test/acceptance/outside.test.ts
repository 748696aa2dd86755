import { readdir } from 'node:fs/promises';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { rows, startMarketplace } from './marketplace/marketplace.ts';
import { storageClient } from './outside.ts';

test('a service with external servers keeps only its keys and its identity in the data dir', async () => {
  await using marketplace = await startMarketplace();
  const partner = await marketplace.partner('k');
  expect(await partner.importedFile(rows(1, 1_000, 'k'))).toMatchObject({ status: 2 });
  expect(await partner.counts()).toEqual({ k: 1_000 });
  const s3 = storageClient(partner.storage);
  const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: partner.storage.bucket }));
  s3.destroy();
  expect(Contents?.map(({ Key }) => Key)).toContain(`${partner.storage.prefix}devices.csv`);
  expect((await readdir(marketplace.dataDir)).toSorted()).toEqual([
    'admin-token',
    'format',
    'installation',
    'lock',
    'secret-key',
    'tributary.pid',
  ]);
});
