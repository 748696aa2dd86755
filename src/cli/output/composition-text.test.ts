import { expect, test } from 'vitest';
import { type Composition, compositionText } from './composition-text.ts';
import { time } from './print.ts';

const cells = {
  attribute_id: 1,
  name: 'Autos > New',
  partner_id: 5,
  audience_devices: 1_200,
  audience_share: 0.3,
  audience_share_low: 0.286,
  audience_share_high: 0.3144,
  baseline_devices: 40_000,
  baseline_share: 0.2,
  index: 150,
  index_low: 139.26,
  index_high: 161.57,
  z: 15.94,
  q: 1e-56,
  exact: true,
  suppressed: null,
};
const suppressed = {
  audience_devices: null,
  audience_share: null,
  audience_share_low: null,
  audience_share_high: null,
  index: null,
  index_low: null,
  index_high: null,
  z: null,
  q: null,
  suppressed: 'too_few_devices',
} as const;
const report: Composition = {
  audience_id: 7,
  default_warehouse_segment_id: 12,
  computed_at: '2026-01-31T12:00:00.000Z',
  universe_version: 9,
  stale: false,
  disclosure: { mode: 'protected', scale: 10, sizes_exact: false, held_until: null },
  universe_devices: 200_000,
  unique_devices: 5_000,
  matched_devices: 4_000,
  baseline: { choice: 'partner:5', name: 'Northwind', devices: 90_000, audience_devices: 3_000 },
  suppliers: [{ partner_id: 5, name: 'Northwind' }],
  attributes: [
    { ...cells, ...suppressed, attribute_id: 2, name: 'Rare', baseline_share: 0.0001 },
    {
      ...cells,
      attribute_id: 3,
      name: 'Travel',
      index: 1_060.06,
      z: -0.04,
      q: 0.9681,
      exact: false,
    },
    cells,
    {
      ...cells,
      attribute_id: 4,
      name: 'All',
      index: 99,
      z: null,
      q: null,
      suppressed: 'no_devices_outside',
    },
  ],
  events: [
    { label: 'purchase', devices: 2_500, share: 0.5 },
    { label: '\x1b[31mred', devices: 50, share: 0.01 },
  ],
};

test('a report has the highest index first and marks suppressed figures with the reason', () => {
  expect(compositionText(report).split('\n')).toEqual([
    'audience         7',
    `computed         ${time(report.computed_at)}`,
    'unique devices   5,000',
    'matched devices  4,000',
    'universe         200,000 devices, version 9',
    'baseline         partner:5 (Northwind): 3,000 of the audience against 90,000 devices',
    'protection       counts with ~ have noise of scale 10, and so do matched devices and universe',
    '',
    '  INDEX  95 % INTERVAL     Z       Q  DEVICES    SHARE  BASELINE  ATTRIBUTE',
    '1,060.1    139.3–161.6  -0.0   0.968   ~1,200  30.00 %   20.00 %  Travel',
    '  150.0    139.3–161.6  15.9  <0.001    1,200  30.00 %   20.00 %  Autos > New',
    '   99.0    139.3–161.6     *       *    1,200  30.00 %   20.00 %  All  (* no devices outside)',
    '      *              *     *       *        *        *    0.01 %  Rare  (* too few devices)',
    '',
    'EVENT        DEVICES    SHARE',
    'purchase       2,500  50.00 %',
    '\\x1b[31mred       50   1.00 %',
  ]);
});

test('a stale report says so, and an empty report is short', () => {
  const empty = { ...report, attributes: [], events: [], stale: true };
  const text = compositionText(empty);
  expect(text).toContain(`${time(report.computed_at)}, out of date\n`);
  const held_until = '2026-02-01T00:00:00.000Z';
  const held = { ...empty, disclosure: { ...report.disclosure, held_until } };
  expect(compositionText(held)).toContain(`not refreshed until ${time(held_until)}: daily limit`);
  expect(text).toMatch(/There are no attributes\.$/);
});
