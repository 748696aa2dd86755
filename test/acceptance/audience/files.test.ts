import { describe, expect } from 'vitest';
import { device, type Marketplace, rows } from '../marketplace/marketplace.ts';
import { test } from '../marketplace/shared-marketplace.ts';
import { ingestOf } from './ingest.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

async function started(...foreignKeys: string[]) {
  const partner = await marketplace.partner(...foreignKeys);
  return { partner, ingest: ingestOf(partner), file: `${partner.storage.prefix}devices.csv` };
}

describe('an event label', { concurrent: true }, () => {
  test('may be empty, in any script, or quoted, and has its own device count', async () => {
    const { ingest } = await started();
    const { audience_id, unique_devices } = await ingest.loadedFile(
      [
        `${device(1)},`,
        `${device(1)},purchase`,
        `${device(2)},purchase`,
        `${device(2)},purchase`,
        `${device(2)},Purchase`,
        `${device(3)},"cart, abandoned"`,
        `${device(4)},購入`,
      ].join('\n'),
    );
    expect(unique_devices).toBe(4);
    const { events } = await ingest.composition(audience_id);
    expect(events.toSorted((a, b) => (a.label < b.label ? -1 : 1))).toEqual([
      { label: 'Purchase', devices: 1, share: 1 / 4 },
      { label: 'cart, abandoned', devices: 1, share: 1 / 4 },
      { label: 'purchase', devices: 2, share: 2 / 4 },
      { label: '購入', devices: 1, share: 1 / 4 },
    ]);
  });

  test('of more than 256 bytes is skipped and reported; its device loads', async () => {
    const { ingest, file } = await started();
    const longest = 'ü'.repeat(128);
    const audience = await ingest.loadedFile(
      `${device(1)},${longest}\n${device(2)},${longest}x\n${device(3)},${longest}x\n`,
    );
    expect(audience).toMatchObject({ status: 2, unique_devices: 3, file: [{ status: 2 }] });
    expect(await ingest.labels(audience.audience_id)).toEqual({ [longest]: 1 });
    expect(await ingest.errors(audience.audience_id)).toMatchObject([
      { code: 'label_too_long', file, line: 2, column: 2, count: 2 },
    ]);
  });

  test('beyond 1,000 distinct labels is skipped and reported; its device loads', async () => {
    const { partner, ingest, file } = await started();
    const lines = Array.from({ length: 990 }, (_, i) => `${device(i)},label ${i}\n`);
    const { audience_id } = await ingest.loadedFile(lines.join(''));
    const more = Array.from({ length: 20 }, (_, i) => `${device(2_000 + i)},label ${985 + i}\n`);
    await partner.upload('more.csv', more.join(''));
    expect(await ingest.appended(audience_id, 'more.csv')).toMatchObject({
      status: 2,
      unique_devices: 1_010,
      file: [{ status: 2 }, { status: 2, rows_uploaded: 20 }],
    });
    expect(await ingest.errors(audience_id)).toMatchObject([
      {
        code: 'too_many_labels',
        file: file.replace('devices', 'more'),
        line: 16,
        column: 2,
        value: 'label 1000',
        count: 5,
      },
    ]);
    const labels = await ingest.labels(audience_id);
    expect(Object.keys(labels)).toHaveLength(1_000);
    // A known label still gets new devices.
    expect(labels).toMatchObject({ 'label 0': 1, 'label 985': 2, 'label 999': 1 });
    expect(labels).not.toHaveProperty('label 1000');
  });

  test('of a failed file is not kept', async () => {
    const { partner, ingest } = await started();
    await partner.upload('day/1', `${rows(1, 5, 'bad')}one,two,three\n`);
    await partner.upload('day/2', rows(1, 5, 'good'));
    const { audience_id } = await ingest.loaded('day/');
    expect(await ingest.labels(audience_id)).toEqual({ good: 5 });
  });
});

describe('counts', { concurrent: true }, () => {
  test('are valid rows for uploaded_devices, distinct devices for unique_devices, and devices with an attribute for matched_devices', async () => {
    const { partner, ingest } = await started('k');
    await partner.importedFile(rows(1_000_001, 1_000_004, 'k'));
    await partner.upload('a.csv', `${rows(1_000_003, 1_000_012, '').repeat(6)}nobody,\n`);
    const audience = await ingest.loaded('a.csv');
    expect(audience).toMatchObject({
      status: 2,
      uploaded_devices: 60,
      unique_devices: 10,
      matched_devices: 2,
      file: [{ rows_uploaded: 60 }],
    });
    // The attribute may belong to any partner.
    const other = await started('k');
    await other.partner.importedFile(rows(1_000_011, 1_000_019, 'k'));
    await partner.upload('b.csv', rows(1_000_012, 1_000_014, ''));
    expect(await ingest.appended(audience.audience_id, 'b.csv')).toMatchObject({
      uploaded_devices: 63,
      unique_devices: 12,
      matched_devices: 6,
      file: [{ rows_uploaded: 60 }, { rows_uploaded: 3 }],
    });
  });

  test('include a device once, in upper or lower case', async () => {
    const { ingest } = await started();
    const text = rows(0xabcdef, 0xabcdef, '');
    expect(await ingest.loadedFile(text + text.toUpperCase())).toMatchObject({
      uploaded_devices: 2,
      unique_devices: 1,
    });
  });

  test('are separate for each audience, even of the same file', async () => {
    const { partner, ingest } = await started();
    const first = await ingest.loadedFile(rows(1, 10, ''));
    const second = await ingest.loaded('devices.csv');
    expect(second).toMatchObject({ status: 2, uploaded_devices: 10, unique_devices: 10 });
    await partner.upload('more.csv', rows(11, 12, ''));
    await ingest.appended(second.audience_id, 'more.csv');
    expect(await ingest.details(first.audience_id)).toEqual(first);
  });
});
