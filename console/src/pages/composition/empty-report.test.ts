import { describe, expect, it } from 'vitest';
import { compositionOf, wireAttribute, withheldAttribute } from './attribute.fixture.ts';
import { emptyReportOf } from './empty-report.ts';
import type { Report } from './report.ts';

const audience: Report['audience'] = {
  audience_id: 1,
  default_warehouse_segment_id: 2,
  name: 'Weekend hikers',
  partner_name: 'Northwind',
  customer_name: null,
  cleared_at: null,
  latest_load_id: null,
  cursor: '1767225600000000-1',
  status: 2,
  uploaded_devices: 1_300,
  unique_devices: 1_250,
  matched_devices: 1_000,
  created_at: '2026-01-31T11:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
};

describe('a report with nothing to plot', () => {
  it.each([
    [0, /is loading/],
    [1, /is loading/],
    [2, /is empty/],
    [3, /with errors/],
  ])('is not available yet while the status is %d', (status, detail) => {
    const empty = emptyReportOf({ audience: { ...audience, status }, composition: undefined });
    expect(empty?.title).toBe('The report is not available yet');
    expect(empty?.detail).toMatch(detail);
  });

  it.each([
    [/no attributes/, compositionOf([])],
    [
      /No matched devices/,
      compositionOf([withheldAttribute('audience_too_small')], { matched_devices: 0 }),
    ],
    [
      /too small/,
      compositionOf([withheldAttribute('audience_too_small')], { matched_devices: 49 }),
    ],
  ])('says %s', (title, composition) => {
    expect(emptyReportOf({ audience, composition })?.title).toMatch(title);
  });

  it('has at least one attribute that is plotted or withheld on its own', () => {
    for (const attribute of [wireAttribute(), withheldAttribute('too_few_devices')]) {
      expect(emptyReportOf({ audience, composition: compositionOf([attribute]) })).toBeUndefined();
    }
  });
});
