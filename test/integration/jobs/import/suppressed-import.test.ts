import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { standardId, wordsOfHex } from '../../../../src/domain/privacy/standard-id.ts';
import { applySuppressions } from '../../../../src/jobs/privacy/apply-suppressions.ts';
import { changeSuppression } from '../../../../src/jobs/privacy/change-suppression.ts';
import type { Records } from '../../../../src/records/records.ts';
import { SuppressionChanged } from '../../../../src/records/warehouse/suppression.ts';
import type { MaintainedWarehouse, Warehouse } from '../../../../src/warehouse/port.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../../support/audiences.ts';
import { deviceNumber, deviceRows as rows } from '../../../support/devices.ts';
import { openTestWarehouse } from '../../../support/warehouse.ts';

const { signal } = new AbortController();

let audiences: Audiences;
let acme: LoadingPartner;
let tea: number;

beforeEach(async () => {
  audiences = await freshAudiences();
  acme = await audiences.partner();
  tea = await acme.attribute();
});
afterEach(() => audiences[Symbol.asyncDispose]());

function packed(...ids: readonly string[]): Uint32Array {
  return Uint32Array.from(ids.flatMap((id) => [...wordsOfHex(id)]));
}

async function suppress(...numbers: readonly number[]): Promise<void> {
  const ids = numbers.map((number) => standardId(deviceNumber(number))!);
  const change = { set: 'devices', words: packed(...ids) } as const;
  await changeSuppression(audiences, () => [change], signal);
}

async function suppressByDigest(...numbers: readonly number[]): Promise<void> {
  const digests = numbers.map((number) => {
    const id = standardId(deviceNumber(number))!;
    return createHash('sha256').update(id).digest('hex').slice(0, 32);
  });
  const change = { set: 'digests', words: packed(...digests) } as const;
  await changeSuppression(audiences, () => [change], signal);
}

function apply(records: Records = audiences.records, warehouse = audiences.warehouse) {
  return applySuppressions({ records, warehouse: warehouse as MaintainedWarehouse }).run(signal);
}

/** The real warehouse; `meanwhile` runs once after a load is staged. */
function stagingThen(meanwhile: () => Promise<void>): Warehouse {
  let isDone = false;
  return {
    ...audiences.warehouse,
    beginLoad(attempt) {
      const load = audiences.warehouse.beginLoad(attempt);
      return {
        ...load,
        async stage(meaning, stageSignal) {
          const staged = await load.stage(meaning, stageSignal);
          if (!isDone) {
            isDone = true;
            await meanwhile();
          }
          return staged;
        },
      };
    },
  };
}

/** Whether any text or bytes of the database have the identifier, in any spelling. */
async function isInDatabase(number: number): Promise<boolean> {
  const id = deviceNumber(number);
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema
  `.execute(audiences.db);
  for (const { name } of tables) {
    const spellings = [id, standardId(id)!].flatMap((text) => [
      text,
      Buffer.from(text).toString('hex'),
      Buffer.from(text.toUpperCase()).toString('hex'),
    ]);
    const { rows: found } = await sql`
      select from ${sql.table(name)} as row
      where lower(row::text) ~ ${spellings.join('|')} limit 1
    `.execute(audiences.db);
    if (found.length > 0) return true;
  }
  return false;
}

describe('an import of suppressed devices', () => {
  it('stores all others, and says how many were left out and of which file', async () => {
    await suppress(3, 4);
    await suppressByDigest(7, 500);
    await apply();
    await acme.put('day.csv', rows(0, 20, tea));
    const log = await acme.import('day.csv');
    expect(log).toMatchObject({ state: 'done', uniqueDevices: 17, totalRows: 20 });
    expect(log.errors).toEqual([
      {
        code: 'suppressed_id',
        message: expect.stringContaining('must not be stored'),
        file: `${acme.prefix}day.csv`,
        line: null,
        column: null,
        value: null,
        count: 3,
      },
    ]);
    expect(await acme.counts()).toEqual([17]);
  });

  it('names the path if there are several files, and is not limited by the number of devices', async () => {
    await suppress(...Array.from({ length: 30 }, (_, i) => i));
    await acme.put('days/1.csv', rows(0, 20, tea));
    await acme.put('days/2.csv', rows(15, 31, tea));
    const log = await acme.import('days/');
    expect(log).toMatchObject({
      state: 'done',
      uniqueDevices: 1,
      errors: [{ code: 'suppressed_id', count: 30, file: 'days/' }],
    });
  });

  it('keeps no rejected row and no value with their identifiers', async () => {
    await suppress(1);
    await suppressByDigest(2);
    const spelled = (number: number) => standardId(deviceNumber(number))!.toUpperCase();
    await acme.put(
      'day.csv',
      `${rows(200, 201, spelled(1))}${rows(10, 130, tea)}${spelled(1)},${tea}\n${rows(1, 4, 'nokey')}{${deviceNumber(2)}},${tea}\n`,
    );
    const log = await acme.import('day.csv');
    expect(log.state).toBe('done');
    const kept = await Array.fromAsync(audiences.records.rejects.read(log.importLogId));
    expect(kept.flat().map(({ line }) => line)).toEqual([125]);
    expect(log.errors).toContainEqual(
      expect.objectContaining({ code: 'rejects_left_out', count: 5 }),
    );
    // Its message would quote the key, which is a device.
    expect(log.errors).toContainEqual(
      expect.objectContaining({ code: 'unknown_key', value: null }),
    );
    for (const number of [1, 2]) expect(await isInDatabase(number)).toBe(false);
    expect(await isInDatabase(3)).toBe(true);
  });
});

describe('a suppression between staging and commit', () => {
  it('makes the import start over if one of its devices is suppressed', async () => {
    await acme.put('day.csv', rows(0, 20, tea));
    const importLogId = await acme.queue('day.csv');
    const claim = await audiences.claim();
    const warehouse = stagingThen(() => suppress(5));
    await expect(audiences.run(claim, { warehouse })).rejects.toThrow(SuppressionChanged);
    expect(await acme.counts()).toEqual([0]);
    await audiences.run(claim);
    expect(await acme.log(importLogId)).toMatchObject({
      state: 'done',
      errors: [{ code: 'suppressed_id', count: 1 }],
    });
    expect(await acme.counts()).toEqual([19]);
  });

  it('makes it start over if digests are suppressed', async () => {
    await acme.put('day.csv', rows(0, 20, tea));
    await acme.queue('day.csv');
    const claim = await audiences.claim();
    const warehouse = stagingThen(() => suppressByDigest(5));
    await expect(audiences.run(claim, { warehouse })).rejects.toThrow(SuppressionChanged);
    await audiences.run(claim);
    expect(await acme.counts()).toEqual([19]);
  });

  it('does not delay an import of other devices', async () => {
    await suppress(900);
    await acme.put('day.csv', rows(0, 20, tea));
    const warehouse = stagingThen(async () => {
      await suppress(901);
      await suppressByDigest(902);
    });
    expect(await acme.import('day.csv', 0, { warehouse })).toMatchObject({ state: 'done' });
    expect(await acme.counts()).toEqual([20]);
  });

  it('makes the load of an audience start over', async () => {
    await acme.put('users.csv', rows(0, 20, 'open'));
    const audienceId = await acme.create('users.csv');
    const claim = await audiences.claim();
    const warehouse = stagingThen(() => suppress(5, 6));
    await expect(audiences.run(claim, { warehouse })).rejects.toThrow(SuppressionChanged);
    await audiences.run(claim);
    const { uniqueDevices, uploadedDevices, state } = await acme.details(audienceId);
    expect({ uniqueDevices, uploadedDevices, state }).toEqual({
      uniqueDevices: 18,
      uploadedDevices: 20,
      state: 'done',
    });
    expect(await acme.labels(audienceId)).toEqual({ open: 18 });
  });
});

describe('a pass over everything stored', () => {
  async function fill(): Promise<{ beta: LoadingPartner; audienceId: number }> {
    const beta = await audiences.partner();
    const coffee = await beta.attribute();
    await acme.put('day.csv', rows(0, 20, tea));
    await acme.import('day.csv');
    await beta.put('day.csv', rows(10, 30, coffee));
    await beta.import('day.csv');
    await audiences.warehouse.refreshUniverse(signal);
    await acme.put('users.csv', rows(5, 25, 'open'));
    const audienceId = await acme.create('users.csv');
    await audiences.work();
    return { beta, audienceId };
  }

  it('removes devices and their traces, recounts reports and tells the partners', async () => {
    const { beta, audienceId } = await fill();
    await acme.put('odd.csv', `${rows(0, 19, tea)}${rows(12, 13, 'nokey')}`);
    const odd = await acme.import('odd.csv', 0, { rejectLimit: 0.5 });
    expect(odd.errors).toMatchObject([{ code: 'unknown_key' }]);
    await suppress(2);
    await suppressByDigest(12, 24);
    expect(await apply()).toMatchObject({ found: 2, reports: 1, incomplete: 0 });
    expect(await acme.counts()).toEqual([18]);
    expect(await beta.counts()).toEqual([18]);
    expect(await acme.details(audienceId)).toMatchObject({ uniqueDevices: 18 });
    expect(await acme.labels(audienceId)).toEqual({ open: 18 });
    for (const number of [2, 12, 24]) expect(await isInDatabase(number)).toBe(false);
    const logs = async ({ partnerId }: LoadingPartner) =>
      (await audiences.records.importLogs.latest(partnerId, 1)).map(
        ({ logType, totalRows, uniqueDevices, state }) => [
          logType,
          totalRows,
          uniqueDevices,
          state,
        ],
      );
    expect(await logs(acme)).toEqual([[3, 4, 2, 'done']]);
    expect(await logs(beta)).toEqual([[3, 2, 2, 'done']]);
    expect(await audiences.records.compositions.outdated(10)).toEqual([audienceId]);
    // The same files again bring nothing back.
    await acme.import('day.csv');
    await acme.append(audienceId, 'users.csv');
    await audiences.work();
    expect(await acme.counts()).toEqual([18]);
    expect(await acme.details(audienceId)).toMatchObject({ uniqueDevices: 18 });
  });

  it('goes on after it was interrupted, and counts every device once', async () => {
    const { beta } = await fill();
    await suppress(12, 13);
    let commits = 0;
    const failing: Records = {
      ...audiences.records,
      async inTransaction(work) {
        if (++commits === 2) throw new Error('killed');
        return audiences.records.inTransaction(work);
      },
    };
    await using warehouse = await openTestWarehouse(audiences.warehouseDir, failing);
    await expect(apply(failing, warehouse)).rejects.toThrow('killed');
    const { appliedVersion } = await audiences.records.suppression.state();
    expect(appliedVersion).toBe(0);
    await apply();
    expect(await acme.counts()).toEqual([18]);
    expect(await beta.counts()).toEqual([18]);
    const [log] = await audiences.records.importLogs.latest(acme.partnerId, 1);
    expect(log).toMatchObject({ logType: 3, totalRows: 4, uniqueDevices: 2 });
    const state = await audiences.records.suppression.state();
    expect(state.appliedVersion).toBe(state.plain.version);
  });
});
