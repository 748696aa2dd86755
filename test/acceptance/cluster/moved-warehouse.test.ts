import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ClickhouseCluster,
  startClickhouseCluster,
} from '../../support/clickhouse-cluster.ts';
import { machineHas } from '../../support/requirements.ts';
import { type Composition, ingestOf } from '../audience/ingest.ts';
import { tributary } from '../command-line.ts';
import { type Marketplace, rows, startMarketplace } from '../marketplace/marketplace.ts';
import { startService } from '../service.ts';

describe.skipIf(!machineHas('clickhouse-server'))('a service whose device sets are moved', () => {
  let cluster: ClickhouseCluster;
  let marketplace: Marketplace;

  beforeAll(async () => {
    [cluster, marketplace] = await Promise.all([startClickhouseCluster(), startMarketplace()]);
  });
  afterAll(async () => {
    await marketplace?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const command = (...args: string[]) =>
    tributary(marketplace.service, args, { TRIBUTARY_DATA_DIR: marketplace.dataDir });

  /** What imports of other devices do not change. */
  const figures = ({ attributes, unique_devices, matched_devices }: Composition) => ({
    attributes: attributes.map(({ attribute_id: id, audience_devices }) => [id, audience_devices]),
    unique_devices,
    matched_devices,
  });

  test('goes on in a cluster, with the same ids and figures, without a restart', async () => {
    const partner = await marketplace.partner('k', 'm');
    expect(await partner.importedFile(rows(1, 2_000, 'k'))).toMatchObject({ status: 2 });
    expect(await partner.importedFile(rows(1_001, 1_500, 'm'))).toMatchObject({ status: 2 });
    const ingest = ingestOf(partner);
    const { audience_id: audienceId } = await ingest.loadedFile(rows(1_200, 1_700, 'x'));
    const before = await ingest.composition(audienceId);
    expect(figures(before).attributes).toContainEqual([partner.attributeIds[1], 301]);

    // The import of another partner, whose bucket does not answer for two minutes.
    await (await marketplace.partnerNamed('silent')).held();

    // One import after the other while the device sets are copied.
    let last = 2_000;
    let isMoving = true;
    const logs: number[] = [];
    const importing = (async () => {
      while (isMoving) {
        await partner.upload(`${last}.csv`, rows(last + 1, last + 50, 'k'));
        const log = await partner.imported(`${last}.csv`);
        expect(log).toMatchObject({ status: 2, unique_devices: '50' });
        logs.push(log.import_log_id);
        last += 50;
      }
    })();
    const place = cluster.setting.replace('/database?', '/moved?');
    const moved = await command('warehouse', 'copy', '--to', place);
    isMoving = false;
    const switchedAt = performance.now();
    await importing;
    expect(performance.now() - switchedAt).toBeLessThan(60_000);
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining('database moved') });
    expect(`${moved.stdout}${moved.stderr}`).not.toContain('se:cr@t');
    expect(logs.length).toBeGreaterThan(0);

    expect(await partner.importedFile(rows(last + 1, last + 10, 'm'))).toMatchObject({ status: 2 });
    expect(await partner.counts()).toEqual({ k: last, m: 510 });
    expect(figures(await ingest.composition(audienceId))).toEqual(figures(before));
    const [server] = cluster.shards('moved');
    expect(
      Number((await server!.select('select count() from run_device'))[0]?.[0]),
    ).toBeGreaterThan(0);
    await server![Symbol.asyncDispose]();

    // The old place stays until it is forgotten.
    const folder = join(marketplace.dataDir, 'warehouse');
    expect(await readdir(folder)).not.toEqual([]);
    const doctor = await command('doctor', '--service', '--json');
    const found: { check: string }[] = JSON.parse(doctor.stdout).findings;
    const checks = found.map(({ check }) => check);
    expect(checks).toEqual(expect.arrayContaining(['warehouse place', 'old warehouse']));
    expect(await command('warehouse', 'copy', '--to', 'files')).toMatchObject({ code: 1 });
    expect(await command('warehouse', 'copy', '--forget')).toMatchObject({ code: 0 });
    expect(await readdir(folder)).toEqual([]);

    // A start with the old settings finds the new place.
    await marketplace.service[Symbol.asyncDispose]();
    const { port } = new URL(marketplace.service.url);
    await using _again = await startService({ dataDir: marketplace.dataDir, port: Number(port) });
    expect(await partner.counts()).toEqual({ k: last, m: 510 });
    expect(figures(await ingest.composition(audienceId))).toEqual(figures(before));
  }, 240_000);
});
