import { describe, expect } from 'vitest';
import { type Marketplace, rows } from '../marketplace/marketplace.ts';
import { test } from '../marketplace/shared-marketplace.ts';
import { until } from '../service.ts';
import { type AudienceDetails, endlessFile, ingestOf } from './ingest.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

/** How long a cleared load may still run. */
const promptlyMs = 2_000;
const empty = {
  status: 2,
  uploaded_devices: 0,
  unique_devices: 0,
  matched_devices: 0,
  file: [],
};

async function started(...foreignKeys: string[]) {
  const partner = await marketplace.partner(...foreignKeys);
  return { partner, ingest: ingestOf(partner) };
}

describe('clear', () => {
  test('takes effect at once: counts are 0, the file array is empty, the status is 2', async () => {
    const { partner, ingest } = await started('k');
    await partner.importedFile(rows(4_000_001, 4_000_010, 'k'));
    const before = await ingest.loadedFile(rows(4_000_001, 4_000_020, 'seen'));
    expect(before).toMatchObject({ unique_devices: 20, matched_devices: 10 });
    await ingest.clear(before.audience_id);
    const cleared = await ingest.details(before.audience_id);
    expect(cleared).toEqual({ ...before, ...empty, updated_at: cleared.updated_at });
    expect(cleared.updated_at > before.updated_at).toBe(true);
    expect(await ingest.errors(before.audience_id)).toEqual([]);
  });

  test('changes status 3 to 2 and removes the errors', async () => {
    const { ingest } = await started();
    const failed = await ingest.loadedFile('one,two,three\n');
    const nothing = await ingest.loaded('nothing.csv');
    for (const { audience_id, status } of [failed, nothing]) {
      expect(status).toBe(3);
      await ingest.clear(audience_id);
      expect(await ingest.details(audience_id)).toMatchObject(empty);
      expect(await ingest.errors(audience_id)).toEqual([]);
    }
  });

  test('allows a cleared file to be loaded again', async () => {
    const { ingest } = await started();
    const before = await ingest.loadedFile(rows(1, 20, 'seen'));
    await ingest.clear(before.audience_id);
    const again = await ingest.appended(before.audience_id, 'devices.csv');
    expect(again).toMatchObject({ status: 2, uploaded_devices: 20, unique_devices: 20 });
    expect(again.file).toHaveLength(1);
    expect(await ingest.labels(before.audience_id)).toEqual({ seen: 20 });
  });

  test('does not change other audiences, even of the same file', async () => {
    const { ingest } = await started();
    const one = await ingest.loadedFile(rows(1, 20, ''));
    const other = await ingest.loaded('devices.csv');
    await ingest.clear(one.audience_id);
    expect(await ingest.details(other.audience_id)).toEqual(other);
  });

  test('of an empty audience changes only its updated_at', async () => {
    const { ingest } = await started();
    const { audience_id } = await ingest.loadedFile(rows(1, 20, ''));
    for (const _ of [1, 2]) {
      await ingest.clear(audience_id);
      expect(await ingest.details(audience_id)).toMatchObject(empty);
    }
  });

  test(`cancels a file that is loading, and the next job starts within ${promptlyMs} ms`, async () => {
    const { partner, ingest } = await started();
    await partner.upload('next.csv', rows(1, 5, ''));
    const audienceId = await ingest.endless();
    const next = await ingest.create('next.csv');
    await ingest.clear(audienceId);
    const clearedAt = performance.now();
    expect(await ingest.details(audienceId)).toMatchObject(empty);
    await until('the next to begin', async () => (await ingest.details(next)).status > 0);
    expect(performance.now() - clearedAt).toBeLessThan(promptlyMs);
    expect(await ingest.settled(next)).toMatchObject({ status: 2, unique_devices: 5 });
    expect(await ingest.details(audienceId)).toMatchObject(empty);
  });

  test('cancels the remaining files of a prefix that is partly loaded', async () => {
    const { partner, ingest } = await started();
    const { audience_id } = await ingest.loadedFile(rows(1, 10, 'first'));
    await partner.upload('day/1.csv', rows(11, 20, 'second'));
    await partner.upload('day/2.gz', endlessFile());
    await partner.upload('day/3.csv', rows(21, 30, 'third'));
    await ingest.append(audience_id, 'day/');
    await until('the large file to run', async () => {
      const { file } = await ingest.details(audience_id);
      return file.some(({ s3_path, status }) => s3_path.endsWith('2.gz') && status === 1);
    });
    await ingest.clear(audience_id);
    expect(await ingest.details(audience_id)).toMatchObject(empty);
    const last = await ingest.loaded('day/3.csv');
    expect(last).toMatchObject({ status: 2, unique_devices: 10 });
    expect(await ingest.details(audience_id)).toMatchObject(empty);
  });

  test('cancels all waiting files; those appended afterwards load', async () => {
    const { partner, ingest } = await started();
    for (const name of ['1', '2', '3', '4']) {
      await partner.upload(`${name}.csv`, rows(Number(name) * 10, Number(name) * 10 + 4, name));
    }
    const lane = await partner.held();
    const id = await ingest.create('1.csv');
    await ingest.append(id, '2.csv');
    await ingest.append(id, '3.csv');
    expect(await ingest.details(id)).toMatchObject({ status: 0 });
    await ingest.clear(id);
    expect(await ingest.details(id)).toMatchObject(empty);
    await ingest.append(id, '3.csv');
    await ingest.append(id, '4.csv');
    // The waiting loads were appended after the clear.
    expect(await ingest.details(id)).toMatchObject({ ...empty, status: 0 });
    lane.release();
    const after = await ingest.settled(id);
    expect(after).toMatchObject({ status: 2, uploaded_devices: 10, unique_devices: 10 });
    expect(after.file.map(({ s3_path }) => s3_path.at(-5))).toEqual(['3', '4']);
    expect(await ingest.labels(id)).toEqual({ 3: 5, 4: 5 });
  });

  test('ends a running load, so a later append to the same audience loads', async () => {
    const { partner, ingest } = await started();
    await partner.upload('next.csv', rows(1, 5, ''));
    const audienceId = await ingest.endless();
    await ingest.clear(audienceId);
    await ingest.append(audienceId, 'next.csv');
    expect(await ingest.settled(audienceId)).toMatchObject({
      status: 2,
      uploaded_devices: 5,
      unique_devices: 5,
    });
    expect((await ingest.details(audienceId)).file).toHaveLength(1);
  });

  test('twice at once gives 204 twice', async () => {
    const { ingest } = await started();
    const audienceId = await ingest.endless();
    await Promise.all([ingest.clear(audienceId), ingest.clear(audienceId)]);
    expect(await ingest.details(audienceId)).toMatchObject(empty);
  });

  test('with a concurrent append loads the file completely or not at all', async () => {
    const { partner, ingest } = await started();
    const { audience_id } = await ingest.loadedFile(rows(1, 10, 'old'));
    await partner.upload('new.csv', rows(6, 20, 'new'));
    const outcomes = new Set<number>();
    for (let i = 0; i < 12; i++) {
      const both = [ingest.append(audience_id, 'new.csv'), ingest.clear(audience_id)];
      await Promise.all(i % 2 === 0 ? both : both.toReversed());
      const after = await ingest.settled(audience_id);
      const files = after.file.length;
      expect([files, after.uploaded_devices, after.unique_devices]).toEqual(
        files === 0 ? [0, 0, 0] : [1, 15, 15],
      );
      expect(after.status).toBe(2);
      outcomes.add(files);
    }
    expect([0, 1]).toEqual(expect.arrayContaining([...outcomes]));
  });

  test('while files are loading never shows a mixed state', async () => {
    const { partner, ingest } = await started('k');
    await partner.importedFile(rows(5_000_001, 5_060_000, 'k'));
    await partner.upload('old/1.csv', rows(5_000_001, 5_030_000, 'old'));
    await partner.upload('old/2.csv', rows(5_020_001, 5_050_000, 'old'));
    await partner.upload('new.csv', rows(5_090_001, 5_090_007, 'new'));
    const id = await ingest.create('old/');
    const seen: AudienceDetails[] = [];
    const looking = new AbortController();
    const watching = (async () => {
      while (!looking.signal.aborted) seen.push(await ingest.details(id));
    })();
    for (let i = 0; i < 4; i++) {
      await until('a file to run', async () => {
        const { file } = await ingest.details(id);
        return file.some(({ status }) => status > 0);
      });
      await ingest.clear(id);
      await ingest.append(id, 'new.csv');
      await ingest.append(id, 'old/');
    }
    await ingest.settled(id);
    looking.abort();
    await watching;
    for (const { file, uploaded_devices, unique_devices, matched_devices } of seen) {
      const names = file.filter(({ status }) => status === 2).map(({ s3_path }) => s3_path.at(-5));
      const [one, two, fresh] = ['1', '2', 'w'].map((name) => names.includes(name));
      const old = one && two ? 50_000 : one || two ? 30_000 : 0;
      expect([names, uploaded_devices, unique_devices, matched_devices]).toEqual([
        names,
        30_000 * (Number(one) + Number(two)) + (fresh ? 7 : 0),
        old + (fresh ? 7 : 0),
        old,
      ]);
    }
    expect(await ingest.details(id)).toMatchObject({ status: 2, unique_devices: 50_007 });
  });
});
