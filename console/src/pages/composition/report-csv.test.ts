import { expect, test } from 'vitest';
import { compositionOf, wireAttribute, withheldAttribute } from './attribute.fixture.ts';
import { readAttributes } from './attribute.ts';
import { reportCsv } from './report-csv.ts';
import { plainView } from './view.ts';

const attributes = readAttributes(
  compositionOf([
    wireAttribute({ name: 'Autos > Vans', index: 120, audience_share: 1 / 3 }),
    wireAttribute({ name: 'Autos > Intenders', index: 340.123456, q: 0.000123456 }),
    withheldAttribute('too_few_devices', { name: 'Autos > =1+1, "Rare"' }),
    wireAttribute({ name: 'Food > Tea' }),
  ]),
);

test('the file has the rows of the view in its order, with few digits', () => {
  const [head, ...rows] = reportCsv(attributes, { ...plainView, search: 'autos' }).split('\r\n');
  expect(head).toMatch(
    /^Attribute,Audience devices,Audience share \(%\),.*,z,q,Not shown because$/,
  );
  expect(rows.map((row) => row.split(',')[0])).toEqual([
    'Autos > Intenders',
    'Autos > Vans',
    '"Autos > =1+1',
    '',
  ]);
  expect(rows[0]).toContain(',340.1,');
  expect(rows[0]).toContain(',0.00012,');
  expect(rows[1]).toContain(',33.33,');
  expect(rows[2]).toContain('too few devices have this attribute');
});

test('the order of a pressed column replaces that of the plot', () => {
  const sort = { column: 'name', isDescending: true } as const;
  const rows = reportCsv(attributes, { ...plainView, sort }).split('\r\n');
  expect(rows[1]).toMatch(/^Food > Tea,/);
});
