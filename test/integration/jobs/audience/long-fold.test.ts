import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refreshAudiences } from '../../../../src/jobs/audience/refresh-audiences.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../../support/audiences.ts';
import { deviceRows as rows } from '../../../support/devices.ts';
import { randomOf } from '../../../support/seeded.ts';

const { signal } = new AbortController();
const impatient = { foldWaitMs: 20 };
const soon = { quietMs: 1, patienceMs: 50, retryMs: 60_000 };
let audiences: Audiences;

beforeEach(async () => {
  audiences = await freshAudiences();
});
afterEach(() => audiences[Symbol.asyncDispose]());

/** The fold of another process, which ends when it is disposed. */
async function holdFold(): Promise<AsyncDisposable> {
  const begun = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const fold = audiences.records.universe.exclusively(() => {
    begun.resolve();
    return ending.promise;
  }, signal);
  await begun.promise;
  return {
    async [Symbol.asyncDispose]() {
      ending.resolve();
      await fold;
    },
  };
}

/** What maintenance does once folds are possible again. */
async function catchUp(): Promise<void> {
  await audiences.warehouse.refreshUniverse(signal);
  await refreshAudiences(audiences, soon).run(signal);
}

describe('a fold that takes long', () => {
  it('delays no load of an audience, whose matched devices are counted again afterwards', async () => {
    const acme = await audiences.partner();
    const bravo = await audiences.partner();
    const [kept, deleted] = [await bravo.attribute(), await bravo.attribute()];
    await bravo.put('kept.csv', rows(0, 10, kept));
    await bravo.put('deleted.csv', rows(0, 40, deleted));
    await bravo.import('kept.csv');
    await bravo.import('deleted.csv');
    await audiences.warehouse.refreshUniverse(signal);
    await bravo.delete([deleted]);
    await acme.put('members.csv', rows(5, 50, ''));
    const tea = await acme.create('members.csv');
    {
      await using _ = await holdFold();
      await audiences.work(impatient);
      expect(await acme.details(tea)).toMatchObject({ state: 'done', matchedDevices: 35 });
      expect(await acme.composition(tea)).toMatchObject({ stale: true, matchedDevices: 35 });
    }
    await catchUp();
    expect(await acme.details(tea)).toMatchObject({ matchedDevices: 5 });
    expect(await acme.composition(tea)).toMatchObject({ stale: false, matchedDevices: 5 });
  });

  it('leaves every count right in the end, whatever happens meanwhile', async () => {
    const below = randomOf('long fold');
    const partners = [await audiences.partner(), await audiences.partner()];
    const attributes: ModelSegment[] = [];
    const known: ModelSegment[] = [];
    for (const partner of [...partners, ...partners]) {
      attributes.push({ partner, id: await partner.attribute(), devices: new Set() });
    }
    let files = 0;

    /** Uploads some devices and adds them to the model. */
    async function put({ partner, devices }: ModelSegment, cell: number | string): Promise<string> {
      const from = below(200);
      const to = from + 1 + below(60);
      const path = `${++files}.csv`;
      await partner.put(path, rows(from, to, cell));
      for (let number = from; number < to; number++) devices.add(number);
      return path;
    }

    const steps = [
      async (attribute: ModelSegment) => {
        await attribute.partner.import(await put(attribute, attribute.id));
      },
      async (attribute: ModelSegment) => {
        await attribute.partner.delete([attribute.id]);
        attribute.devices.clear();
      },
      async ({ partner }: ModelSegment) => {
        const devices = new Set<number>();
        const path = await put({ partner, id: 0, devices }, '');
        known.push({ partner, id: await partner.create(path), devices });
      },
      async (_: ModelSegment, audience: ModelSegment | undefined) => {
        if (audience) await audience.partner.append(audience.id, await put(audience, ''));
      },
      async (_: ModelSegment, audience: ModelSegment | undefined) => {
        await audience?.partner.clear(audience.id);
        audience?.devices.clear();
      },
    ];

    for (let round = 0; round < 4; round++) {
      {
        await using _ = await holdFold();
        for (let n = 0; n < 6; n++) {
          // Imports and appends more often than deletions and clears.
          const step = steps[[0, 0, 0, 1, 2, 3, 3, 4][below(8)]!]!;
          const audience = known.length > 0 ? known[below(known.length)] : undefined;
          await step(attributes[below(attributes.length)]!, audience);
          await audiences.work(impatient);
        }
      }
      await catchUp();
      const universe = new Set(attributes.flatMap(({ devices }) => [...devices]));
      for (const { partner, id, devices } of known) {
        const matchedDevices = [...devices].filter((number) => universe.has(number)).length;
        const expected = { uniqueDevices: devices.size, matchedDevices };
        expect(await partner.details(id)).toMatchObject({ state: 'done', ...expected });
        expect(await partner.composition(id)).toMatchObject({ stale: false, ...expected });
      }
    }
    expect(known.length).toBeGreaterThan(2);
  });
});

describe('a damaged page of another partner', () => {
  it('stops neither loads nor counts', async () => {
    const acme = await audiences.partner();
    const bravo = await audiences.partner();
    const [own, damaged] = [await acme.attribute(), await bravo.attribute()];
    await bravo.put('attributes.csv', rows(0, 40, damaged));
    await bravo.import('attributes.csv');
    const { segment_id } = await audiences.db
      .selectFrom('attribute')
      .where('attribute_id', '=', damaged)
      .select('segment_id')
      .executeTakeFirstOrThrow();
    const [run] = await audiences.records.manifest.runsOf([segment_id]);
    await using file = await open(join(audiences.warehouseDir, run!.file), 'r+');
    await file.write('damaged!', 60);

    await acme.put('attributes.csv', rows(0, 10, own));
    await acme.import('attributes.csv');
    await acme.put('members.csv', rows(5, 50, ''));
    const tea = await acme.create('members.csv');
    await audiences.work();
    const counts = { uniqueDevices: 45, matchedDevices: 5 };
    expect(await acme.details(tea)).toMatchObject({ state: 'done', ...counts });
    expect(await acme.composition(tea)).toMatchObject({ ...counts, stale: false });
    const { attributes } = (await acme.composition(tea))!;
    expect(attributes.map(({ audienceDevices }) => audienceDevices)).toEqual([5, 0]);
  });
});

/** An attribute or an audience, and the numbers of its devices. */
interface ModelSegment {
  readonly partner: LoadingPartner;
  readonly id: number;
  readonly devices: Set<number>;
}
