import { readdir } from 'node:fs/promises';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { tributary } from './command-line.ts';
import { rows, startMarketplace } from './marketplace/marketplace.ts';
import { externalSettings, storageClient } from './outside.ts';

test('a service with external servers keeps only its keys and its identity in the data dir', async () => {
  await using marketplace = await startMarketplace();
  const partner = await marketplace.partner('k');
  expect(await partner.importedFile(rows(1, 1_000, 'k'))).toMatchObject({ status: 2 });
  expect(await partner.counts()).toEqual({ k: 1_000 });
  const s3 = storageClient(partner.storage);
  const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: partner.storage.bucket }));
  s3.destroy();
  expect(Contents?.map(({ Key }) => Key)).toContain(`${partner.storage.prefix}devices.csv`);
  // The doctor reaches all of them, from this machine and from the service.
  const { dataDir: TRIBUTARY_DATA_DIR } = marketplace;
  const env = { ...(await externalSettings(TRIBUTARY_DATA_DIR)), TRIBUTARY_DATA_DIR };
  for (const where of [[], ['--service']]) {
    const args = ['doctor', ...where, '--json'];
    const { code, stdout } = await tributary(marketplace.service, args, env);
    const findings: { level: string; check: string }[] = JSON.parse(stdout).findings;
    expect([code, findings.filter(({ level }) => level !== 'ok')]).toEqual([0, []]);
    expect(findings.map(({ check }) => check)).toContain('warehouse');
    expect(findings.map(({ check }) => check)).toContain('TRIBUTARY_S3_ENDPOINT');
  }
  expect((await readdir(marketplace.dataDir)).toSorted()).toEqual([
    'admin-token',
    'format',
    'installation',
    'lock',
    'secret-key',
    'tributary.pid',
    'version',
  ]);
});
