import { describe, expect, test } from 'vitest';
import { archiveNameOf, formatFileName, parseFileName } from './file-names.ts';
import { maintenanceSeconds } from './maintenance-window.ts';
import { findRepeatedIds } from './repeated-ids.ts';

describe('names of files', () => {
  test.each([
    ['20260312_4821_MAID.csv', 'MAID', null],
    ['20260312_4821_Email_part01.csv', 'Email', 'part01'],
    ['20260312_48215_Removed.csv', 'Removed', null],
  ])('%s is of the list %s', (name, list, suffix) => {
    const parsed = parseFileName(name)!;
    expect(parsed).toMatchObject({ list, suffix });
    expect(formatFileName(parsed)).toBe(name);
  });

  test.each([
    '20260312_4821_MAID.CSV',
    '2026031_4821_MAID.csv',
    'x20260312_4821_MAID.csv',
    '20260312_4821_MAID_a_b.csv',
    '20260312_4821_MAID_elevenchars.csv',
    '20260312_4821_.csv',
  ])('%s has another form', (name) => {
    expect(parseFileName(name)).toBeNull();
  });

  test('the name of an archive is in its header, or there is none', () => {
    const name = '20260312_4821_DROP.zip';
    expect(archiveNameOf(`attachment; filename="${name}"`)).toBe(name);
    expect(archiveNameOf(`attachment; filename=${name}`)).toBe(name);
    expect(archiveNameOf('attachment; filename="../../x.zip"')).toBeNull();
    expect(archiveNameOf(null)).toBeNull();
  });
});

describe('the maintenance of DROP', () => {
  test.each([
    ['2026-01-15T09:00:00Z', 7_200],
    ['2026-01-15T10:59:59Z', 1],
    ['2026-01-15T11:00:00Z', 0],
    ['2026-01-15T08:59:59Z', 0],
    // In summer.
    ['2026-07-15T08:30:00Z', 5_400],
    ['2026-07-15T10:00:00Z', 0],
  ])('at %s ends in %i seconds', (time, seconds) => {
    expect(maintenanceSeconds(new Date(time))).toBe(seconds);
  });
});

describe('repeated ids', () => {
  async function* batches(ids: readonly string[]) {
    for (let at = 0; at < ids.length; at += 1_000) yield ids.slice(at, at + 1_000);
  }
  const ids = Array.from({ length: 20_000 }, (_, n) => `Item${String(n).padStart(8, '0')}`);

  test('are found among many', async () => {
    const all = [...ids, ids[7]!, ids[19_999]!, ids[7]!];
    const repeated = await findRepeatedIds(() => batches(all), all.length);
    expect(repeated).toEqual(new Set([ids[7], ids[19_999]]));
  });

  test('are none if there are none, also if the filter is much too small', async () => {
    expect(await findRepeatedIds(() => batches(ids), ids.length)).toEqual(new Set());
    expect(await findRepeatedIds(() => batches(ids), 1)).toEqual(new Set());
  });
});
