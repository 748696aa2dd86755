import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueDeletion } from '../../../../src/actions/queue-deletion.ts';
import { ManifestConflict } from '../../../../src/domain/errors.ts';
import { wholeImportProblem } from '../../../../src/domain/import-problems.ts';
import { createDeletion } from '../../../../src/jobs/import/deletion.ts';
import { ClaimLost } from '../../../../src/records/queue/jobs.ts';
import type { Warehouse } from '../../../../src/warehouse/port.ts';
import { deviceRows as rows } from '../../../support/devices.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../../support/imports.ts';

let imports: Imports;
let acme: ImportingPartner;
let tea: number;
let coffee: number;
let water: number;

beforeEach(async () => {
  imports = await freshImports();
  acme = await imports.partner();
  tea = await acme.attribute('hot/tea');
  coffee = await acme.attribute('hot/coffee');
  water = await acme.attribute();
  await acme.put('1', rows(0, 100, tea) + rows(50, 120, coffee) + rows(0, 10, water));
  await acme.put('2', rows(90, 110, tea));
  await acme.import('1');
  await acme.import('2');
});
afterEach(() => imports[Symbol.asyncDispose]());

/** The real warehouse, which calls `happens` after a deletion has counted its devices. */
function afterCounting(happens: () => Promise<unknown>): Warehouse {
  return {
    ...imports.warehouse,
    async countDistinct(segmentIds, signal) {
      const devices = await imports.warehouse.countDistinct(segmentIds, signal);
      await happens();
      return devices;
    },
  };
}

describe('a deletion', () => {
  it('empties the attributes with the given ids and counts what it removed', async () => {
    expect(await acme.counts()).toEqual([110, 70, 10]);
    expect(await acme.delete([tea, coffee])).toMatchObject({
      state: 'done',
      logType: 1,
      filePath: '',
      pathType: 0,
      keyType: 0,
      keys: [String(tea), String(coffee)],
      totalRows: 180,
      uniqueDevices: 120,
      errors: null,
    });
    expect(await acme.counts()).toEqual([0, 0, 10]);
  });

  it('finds attributes by partner foreign key', async () => {
    const log = await acme.delete(['hot/coffee'], { keyType: 1 });
    expect(log).toMatchObject({ state: 'done', keyType: 1, totalRows: 70, uniqueDevices: 70 });
    expect(await acme.counts()).toEqual([110, 0, 10]);
  });

  it('leaves no device that a later import would skip as known', async () => {
    await acme.delete([tea]);
    await acme.put('3', rows(95, 130, tea));
    await acme.import('3');
    expect(await acme.counts()).toEqual([35, 70, 10]);
  });

  it('removes from the universe the devices that are in no other attribute', async () => {
    const { signal } = new AbortController();
    const universe = await imports.warehouse.refreshUniverse(signal);
    const size = () => imports.warehouse.countDistinct([universe.segmentId], signal);
    expect(await size()).toBe(120);
    await acme.delete([tea], { withDefinitions: true });
    await imports.warehouse.refreshUniverse(signal);
    expect(await size()).toBe(80);
  });

  it('also removes the attributes themselves if requested', async () => {
    const log = await acme.delete([tea, water], { withDefinitions: true });
    expect(log).toMatchObject({ state: 'done', totalRows: 120, uniqueDevices: 110 });
    const left = await imports.records.attributes.list(acme.partnerId, {
      after: null,
      limit: 1_000,
    });
    expect(left.map(({ attributeId }) => attributeId)).toEqual([coffee]);
    expect((await imports.records.manifest.totals()).runs).toBe(1);
    await acme.attribute('hot/tea');
    await acme.put('3', rows(0, 5, 'hot/tea'));
    expect(await acme.import('3', 1)).toMatchObject({ state: 'done', totalRows: 5 });
    expect(await acme.counts()).toEqual([70, 5]);
  });

  it('removes an empty attribute', async () => {
    const milk = await acme.attribute('milk');
    const log = await acme.delete([milk], { withDefinitions: true });
    expect(log).toMatchObject({ state: 'done', totalRows: 0, uniqueDevices: 0 });
    expect(await acme.counts()).toEqual([110, 70, 10]);
  });

  it('skips keys whose attributes no longer exist when it runs', async () => {
    const request = { keyType: 0, keys: [String(tea), String(water)] } as const;
    const queue = (withDefinitions: boolean) =>
      queueDeletion(imports.records, acme.partnerId, { ...request, withDefinitions });
    const [first, second] = [await queue(true), await queue(false)];
    await imports.run(await imports.claim());
    await imports.run(await imports.claim());
    expect(await acme.log(first)).toMatchObject({ state: 'done', totalRows: 120 });
    expect(await acme.log(second)).toMatchObject({
      state: 'done',
      keys: request.keys,
      totalRows: 0,
      uniqueDevices: 0,
      errors: null,
    });
  });

  it("cannot delete another partner's attributes", async () => {
    const bravo = await imports.partner();
    await bravo.delete([tea, coffee, water], { withDefinitions: true });
    await bravo.delete(['hot/tea'], { keyType: 1, withDefinitions: true });
    expect(await acme.counts()).toEqual([110, 70, 10]);
  });
});

describe('an interrupted deletion', () => {
  it('starts over if maintenance replaced the runs to be dropped', async () => {
    const { attributes, manifest, runFiles } = imports.records;
    const [named] = await attributes.findByKeys(acme.partnerId, 0, [String(tea)]);
    const importLogId = await queueDeletion(imports.records, acme.partnerId, {
      keyType: 0,
      keys: [String(tea)],
      withDefinitions: false,
    });
    const warehouse = afterCounting(async () => {
      const { signal } = new AbortController();
      await imports.warehouse.refreshUniverse(signal);
      const runs = await manifest.runsOf([named!.segmentId]);
      // The same devices in new files, as after a compaction.
      const copies = runs.map((run) => ({ ...run, file: `copy-of-${run.file}` }));
      for (const [i, { file }] of copies.entries()) {
        await runFiles.register({ file, jobId: null, attempt: null });
        await copyFile(join(imports.warehouseDir, runs[i]!.file), join(imports.warehouseDir, file));
      }
      await imports.records.inTransaction((tx) => tx.manifest.rewrite({ add: copies, drop: runs }));
    });
    const claim = await imports.claim();
    await expect(imports.run(claim, { warehouse })).rejects.toThrow(ManifestConflict);
    expect(await acme.log(importLogId)).toMatchObject({ state: 'running', totalRows: 0 });
    expect(await acme.counts()).toEqual([110, 70, 10]);

    await imports.records.jobs.release(claim, 0);
    await imports.run(await imports.claim());
    expect(await acme.log(importLogId)).toMatchObject({ state: 'done', totalRows: 110 });
    expect(await acme.counts()).toEqual([0, 70, 10]);
  });

  it('changes nothing if it loses its claim', async () => {
    const request = { keyType: 0, keys: [String(tea)], withDefinitions: true } as const;
    await queueDeletion(imports.records, acme.partnerId, request);
    const claim = await imports.claim();
    const warehouse = afterCounting(() => imports.records.jobs.release(claim, 60));
    await expect(imports.run(claim, { warehouse })).rejects.toThrow(ClaimLost);
    expect(await acme.counts()).toEqual([110, 70, 10]);
  });

  it('has the problem in its log if its worker was lost too often', async () => {
    const request = { keyType: 0, keys: [String(tea)], withDefinitions: false } as const;
    const importLogId = await queueDeletion(imports.records, acme.partnerId, request);
    const problem = wholeImportProblem('worker_lost', 'The job failed.');
    await imports.records.inTransaction((tx) =>
      createDeletion(imports).giveUp(tx, importLogId, problem),
    );
    expect(await acme.log(importLogId)).toMatchObject({ totalRows: 0, errors: [problem] });
  });
});
