import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendToAudience } from '../../../src/actions/append-to-audience.ts';
import { clearAudience } from '../../../src/actions/clear-audience.ts';
import { createAudience } from '../../../src/actions/create-audience.ts';
import { saveCompositions } from '../../../src/actions/save-compositions.ts';
import type { ChangeCause } from '../../../src/domain/history/reasons.ts';
import type {
  CompositionBasis,
  CompositionCounts,
} from '../../../src/records/audiences/compositions.ts';
import type { Records } from '../../../src/records/records.ts';
import { wholeComposition } from '../../support/audiences.ts';
import {
  compositionCounts,
  exactDisclosures,
  saveCounts,
} from '../../support/composition-counts.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let records: Records;
let partnerId: number;
let audienceId: number;
let segmentId: number;

beforeEach(async () => {
  fresh = await freshRecords();
  ({ records } = fresh);
  ({ partnerId } = await records.partners.create('acme'));
  const scope = { partnerId, customerId: null };
  ({ audienceId, segmentId } = await createAudience(records, scope, 'Tea', 'partner-1/tea'));
});
afterEach(() => fresh[Symbol.asyncDispose]());

const { signal } = new AbortController();
const orNot = { evenIfStale: false };
let lastFile = 0;

/** Adds that many devices to a segment. */
async function grow(segment: number, devices: number, cause?: ChangeCause): Promise<void> {
  const file = `${++lastFile}.parquet`;
  await records.runFiles.register({ file, jobId: null, attempt: null });
  const bytes = 16 * devices;
  const run = { segmentId: segment, file, firstRowGroup: 0, rowGroups: 1, devices, bytes };
  await records.inTransaction((tx) => tx.manifest.apply({ add: [run], drop: [] }, cause));
}

/** Simulates a fold of all changes that adds that many devices to the universe. */
async function fold(devices: number): Promise<void> {
  const pending = await records.universe.pending();
  await records.universe.commit(pending, { add: [], drop: [] });
  if (devices > 0) await grow(pending.segmentId, devices);
}

async function newAttribute(name: string): Promise<number> {
  await records.attributes.create(partnerId, { name, description: '', partnerForeignKey: null });
  const { segmentIds } = await records.attributes.segmentKeys(partnerId, 0);
  return segmentIds.at(-1)!;
}

async function endLoad(): Promise<void> {
  await records.jobs.settle((await records.jobs.claim(60))!, 'done');
  await records.audiences.touchLoaded(audienceId);
}

/** Resolves when a session of this database waits for a lock. */
async function lockAwaited(): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `.execute(fresh.db);
      return rows.length;
    })
    .toBe(1);
}

async function basis(): Promise<CompositionBasis> {
  return (await records.compositions.bases([audienceId])).get(audienceId)!;
}

async function keep(matchedDevices: number, audienceDevices: number[]): Promise<boolean> {
  const now = await basis();
  const counts = compositionCounts(now, matchedDevices, audienceDevices);
  return saveCounts(records, now, counts, orNot);
}

describe('the basis of a composition', () => {
  it('is the devices of each segment, with the version counted', async () => {
    const tea = await newAttribute('Tea');
    const milk = await newAttribute('Milk');
    await grow(tea, 30);
    await grow(tea, 5);
    await fold(40);
    await grow(segmentId, 20);
    await grow(milk, 2);
    expect(await basis()).toMatchObject({
      audienceId,
      generation: 0,
      audience: { segmentId, version: 1, devices: 20 },
      universe: { version: 1, devices: 40 },
      backlog: 1,
      attributes: [
        { segmentId: tea, version: 2, devices: 35 },
        { segmentId: milk, version: 1, devices: 2 },
      ],
      labels: [],
      matched: { devices: 0, universeVersion: 0 },
      last: null,
    });
    expect((await records.compositions.bases([audienceId + 1])).size).toBe(0);
  });

  it('has only attributes with devices, so that others cost nothing', async () => {
    const tea = await newAttribute('Tea');
    const milk = await newAttribute('Milk');
    await records.attributes.createAll(
      partnerId,
      Array.from({ length: 1_000 }, () => ({
        name: 'Empty',
        description: '',
        partnerForeignKey: null,
      })),
    );
    await grow(tea, 30);
    await grow(milk, 1);
    await sql`delete from run where segment_id = ${milk}`.execute(fresh.db);
    await fold(31);
    expect((await basis()).attributes).toMatchObject([{ segmentId: tea, version: 1, devices: 30 }]);
    await keep(0, [0]);
    const { rows } = await sql<{ segmentId: number }>`
      select unnest(attribute_segments) as "segmentId" from composition
    `.execute(fresh.db);
    expect(rows).toEqual([{ segmentId: tea }]);
    const { attributes } = (await wholeComposition(records, audienceId))!;
    expect(attributes).toHaveLength(1_002);
  });

  it('includes the counts and versions of the last composition', async () => {
    const tea = await newAttribute('Tea');
    await grow(tea, 30);
    await fold(30);
    await grow(segmentId, 20);
    expect(await keep(10, [7])).toBe(true);
    await grow(tea, 1);
    await fold(1);
    const { attributes, universe, last, matched } = await basis();
    expect(attributes).toMatchObject([{ segmentId: tea, version: 2, devices: 31 }]);
    expect(last).toEqual({
      segmentVersion: 1,
      universeVersion: 1,
      counted: new Map([
        [tea, { version: 1, devices: 7 }],
        [universe.segmentId, { version: 1, devices: 10 }],
      ]),
      fingerprint: 'version 1',
      state: { generation: 0, uploadedDevices: 0 },
    });
    expect(matched).toEqual({ devices: 10, universeVersion: 1 });
  });
});

describe('a composition', () => {
  it('is saved with its basis, and shows the current names of attributes', async () => {
    const tea = await newAttribute('Tea');
    await newAttribute('Milk');
    await grow(tea, 30);
    await fold(30);
    await grow(segmentId, 20);
    const [labelSegment] = await records.audienceLabels.reserveSegments(1);
    await records.audienceLabels.add(audienceId, [{ label: 'nul \0', segmentId: labelSegment! }]);
    await grow(labelSegment!, 4);
    expect(await records.compositions.find(audienceId)).toBeUndefined();
    expect(await keep(10, [7])).toBe(true);

    const [{ attributeId } = expect.unreachable()] = await records.attributes.list(partnerId, {
      after: null,
      limit: 1_000,
    });
    await records.attributes.update(partnerId, attributeId, { name: 'Green tea' });
    await newAttribute('Water');
    expect(await wholeComposition(records, audienceId)).toMatchObject({
      computedAt: expect.any(Date),
      universeVersion: 1,
      stale: false,
      universeDevices: 30,
      uniqueDevices: 20,
      matchedDevices: 10,
      attributes: [
        { attributeId, name: 'Green tea', audienceDevices: 7, baselineDevices: 30 },
        { name: 'Milk', audienceDevices: 0, baselineDevices: 0 },
        { name: 'Water', audienceDevices: 0, baselineDevices: 0 },
      ],
      events: [{ label: 'nul \0', devices: 4 }],
    });
    const scope = { partnerId, customerId: null };
    expect(await records.audiences.find(scope, audienceId)).toMatchObject({ matchedDevices: 10 });
  });

  it('is stale once the audience, an attribute or the universe has changed', async () => {
    const tea = await newAttribute('Tea');
    const isStale = async () => (await records.compositions.find(audienceId))?.stale;
    await keep(0, []);
    expect(await isStale()).toBe(false);
    await grow(segmentId, 20);
    expect(await isStale()).toBe(true);
    await keep(0, []);
    expect(await isStale()).toBe(false);
    await grow(tea, 1);
    expect(await isStale()).toBe(true);
    await fold(0);
    expect(await isStale()).toBe(true);
    await keep(0, [0]);
    expect(await isStale()).toBe(false);
  });

  it('is not saved if its basis has changed, unless it may be stale', async () => {
    const tea = await newAttribute('Tea');
    const before = await basis();
    await grow(tea, 1);
    const counts = compositionCounts(before, 0, []);
    expect(await saveCounts(records, before, counts, orNot)).toBe(false);
    await fold(1);
    expect(await saveCounts(records, before, counts, orNot)).toBe(false);
    expect(await saveCounts(records, before, counts, { evenIfStale: true })).toBe(true);
    expect(await records.compositions.find(audienceId)).toMatchObject({ stale: true });

    await grow(segmentId, 1);
    expect(await saveCounts(records, before, counts, { evenIfStale: true })).toBe(false);
    const cleared = await basis();
    await clearAudience(records, { partnerId, customerId: null }, audienceId);
    expect(await saveCounts(records, cleared, counts, { evenIfStale: true })).toBe(false);
    expect(await records.compositions.find(audienceId)).toBeUndefined();
  });

  it('is saved together with others, except those whose audience has changed', async () => {
    const tea = await newAttribute('Tea');
    await grow(tea, 5);
    await fold(5);
    const scope = { partnerId, customerId: null };
    const ids = [audienceId];
    for (const name of ['grown', 'cleared', 'same']) {
      const path = `partner-1/${name}`;
      ids.push((await createAudience(records, scope, name, path)).audienceId);
    }
    const bases = [...(await records.compositions.bases(ids)).values()];
    await grow(bases[1]!.audience.segmentId, 3);
    await clearAudience(records, scope, ids[2]!);
    const outcomes = await saveCompositions(
      records,
      bases.map((basis, i) => ({
        basis,
        counts: compositionCounts(basis, i + 1, [i + 1]),
        fingerprint: '',
      })),
      { ...orNot, disclosures: exactDisclosures },
    );
    expect(outcomes).toEqual(['saved', 'changed', 'changed', 'saved']);
    const page = { after: null, limit: 1 };
    for (const [i, devices] of [1, undefined, undefined, 4].entries()) {
      const composition = await records.compositions.find(ids[i]!);
      expect(composition?.counted.audienceDevices[0]).toBe(devices);
      const [change] = await records.audienceHistory.list(ids[i]!, page);
      expect(change?.top[0]?.audienceDevices).toBe(devices);
      const audience = await records.audiences.find(scope, ids[i]!);
      expect(audience).toMatchObject({ matchedDevices: devices ?? 0 });
    }
  });

  it('is not saved if it waited for the commit of a load', async () => {
    await grow(segmentId, 10);
    const before = await basis();
    const counts = compositionCounts(before, 10, []);
    const file = `${++lastFile}.parquet`;
    await records.runFiles.register({ file, jobId: null, attempt: null });
    const run = { segmentId, file, firstRowGroup: 0, rowGroups: 1, devices: 5, bytes: 80 };
    const saved = await records.inTransaction(async (load) => {
      const scope = { partnerId, customerId: null };
      await load.audiences.lock(scope, audienceId);
      const saving = saveCounts(records, before, counts, { evenIfStale: true });
      await lockAwaited();
      await load.manifest.apply({ add: [run], drop: [] });
      const matched = { matchedDevices: 15, universeVersion: before.universe.version };
      await load.audiences.addUploaded({ audienceId, jobId: 0 }, 5, matched);
      return { saving };
    });
    expect(await saved.saving).toBe(false);
    const scope = { partnerId, customerId: null };
    expect(await records.audiences.find(scope, audienceId)).toMatchObject({ matchedDevices: 15 });
  });
});

describe('the history of an audience', () => {
  const numbers = async () => {
    const changes = await records.audienceHistory.list(audienceId, { after: null, limit: 1_000 });
    return changes.map(({ number }) => number);
  };

  it('has a row for each change of what is shown, and at most 365', async () => {
    const scope = { partnerId, customerId: null };
    await keep(0, []);
    await clearAudience(records, scope, audienceId);
    expect(await numbers()).toEqual([]);
    await grow(segmentId, 20);
    await keep(10, []);
    await keep(10, []);
    expect(await numbers()).toEqual([1]);
    const tea = await newAttribute('Tea');
    await grow(tea, 5);
    await fold(5);
    // Only the universe has grown.
    await keep(10, [0]);
    expect(await numbers()).toEqual([1]);
    await keep(10, [5]);
    await clearAudience(records, scope, audienceId);
    const [cleared, ...before] = await records.audienceHistory.list(audienceId, {
      after: null,
      limit: 2,
    });
    expect(cleared).toMatchObject({ number: 3, reasons: ['clear'], universeDevices: 5, top: [] });
    expect(before).toMatchObject([{ number: 2, top: [{ name: 'Tea', audienceDevices: 5 }] }]);

    const { audienceHistory } = records;
    for (let devices = 1; devices <= 365; devices++) {
      const figures = { matchedDevices: 0, universeDevices: 5, top: [] };
      await audienceHistory.add([{ audienceId, reasons: [], ...figures, uniqueDevices: devices }]);
    }
    expect(await numbers()).toEqual(Array.from({ length: 365 }, (_, i) => 368 - i));
    expect(await audienceHistory.list(audienceId, { after: 6, limit: 9 })).toMatchObject([
      { number: 5 },
      { number: 4 },
    ]);
  });

  it('of an attribute has its last 365 changes and goes with it', async () => {
    const tea = await newAttribute('Tea');
    const milk = await newAttribute('Milk');
    const rowsOf = async (segment: number) => {
      const { rows } = await sql<{ count: number; first: number }>`
        select count(*) as count, min(version) as first from attribute_history
        where segment_id = ${segment}
      `.execute(fresh.db);
      return rows[0];
    };
    for (const version of [1, 2, 3, 368]) {
      await sql`update segment set version = ${version - 1} where segment_id = ${tea}`.execute(
        fresh.db,
      );
      await grow(tea, 5, 'import');
    }
    await grow(milk, 5, 'import');
    expect(await rowsOf(tea)).toEqual({ count: 1, first: 368 });
    await grow(segmentId, 5, 'load');
    expect(await rowsOf(segmentId)).toMatchObject({ count: 0 });
    await records.inTransaction(async (tx) => {
      await tx.manifest.empty([tea], 'deletion');
      await tx.attributes.remove([{ segmentId: tea }]);
    });
    expect(await rowsOf(tea)).toMatchObject({ count: 0 });
    expect(await rowsOf(milk)).toMatchObject({ count: 1 });
  });
});

describe('a large composition', () => {
  /** The values that PostgreSQL stores apart from the row, because they are large. */
  async function storedValues(): Promise<number[]> {
    const { rows: tables } = await sql<{ name: string }>`
      select reltoastrelid::regclass::text as name from pg_class where oid = 'composition'::regclass
    `.execute(fresh.db);
    const { rows } = await sql<{ id: number }>`
      select distinct chunk_id as id from ${sql.raw(tables[0]!.name)} order by chunk_id
    `.execute(fresh.db);
    return rows.map(({ id }) => id);
  }

  function replace(basis: CompositionBasis, counts: CompositionCounts): Promise<void> {
    const sizes = { universeVersion: 1, matchedDevices: 1, universeDevices: 1, uniqueDevices: 1 };
    const released = { ...sizes, fingerprint: 'same', ownMatched: 0, isOwn: false, erasures: 0 };
    return records.compositions.replace([{ basis, counts, released }]);
  }

  it('is written only where it has changed', async () => {
    const manyFigures = Array.from({ length: 5_000 }, (_, n) => (n * 7919) % 5_000_011);
    const attributes = manyFigures.map((n) => ({
      segmentId: n,
      version: n % 997,
      devices: n + 5,
      partnerId,
    }));
    const first = { ...(await basis()), attributes };
    await replace(first, compositionCounts(first, 10, manyFigures));
    const before = await storedValues();
    expect(before).toHaveLength(4);

    const again = { ...(await basis()), attributes };
    const universe = { ...again.universe, version: 7 };
    const more = compositionCounts(again, 11, manyFigures);
    await replace({ ...again, universe }, more);
    expect(await storedValues()).toEqual(before);
    expect(await records.compositions.find(audienceId)).toMatchObject({
      universeVersion: 7,
      matchedDevices: 11,
    });

    const audienceDevices = manyFigures.map((n) => n + 1);
    await replace(again, compositionCounts(again, 11, audienceDevices));
    await sql`vacuum composition`.execute(fresh.db);
    const after = await storedValues();
    expect(after.filter((id) => before.includes(id))).toHaveLength(3);
    const { last } = await basis();
    expect([...last!.counted.values()].map(({ devices }) => devices)).toEqual([
      ...audienceDevices,
      11,
    ]);
  });
});

describe('audiences to be refreshed', () => {
  it('are those that are out of date, once they have been loaded', async () => {
    expect(await records.compositions.outdated(10)).toEqual([]);
    const tea = await newAttribute('Tea');
    await endLoad();
    expect(await records.compositions.outdated(10)).toEqual([audienceId]);
    await keep(0, [0]);
    expect(await records.compositions.outdated(10)).toEqual([]);

    await grow(tea, 1);
    await fold(1);
    expect(await records.compositions.outdated(10)).toEqual([audienceId]);
    expect(await records.compositions.backlog()).toMatchObject({ audiences: 1 });
    const scope = { partnerId, customerId: null };
    await appendToAudience(records, scope, audienceId, 'partner-1/more');
    expect(await records.compositions.backlog()).toMatchObject({ audiences: 1 });
    await records.jobs.claim(60);
    expect(await records.compositions.outdated(10)).toEqual([]);
  });

  it('are refreshed by one process at a time', async () => {
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = records.compositions.refreshExclusively(async () => {
      begun.resolve();
      await mayEnd.promise;
    }, signal);
    await begun.promise;
    const never = async () => expect.unreachable();
    expect(await records.compositions.refreshExclusively(never, signal)).toBe(false);
    mayEnd.resolve();
    expect(await first).toBe(true);
    expect(await records.compositions.refreshExclusively(async () => {}, signal)).toBe(true);
  });
});
