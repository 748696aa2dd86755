import { expect, test } from 'vitest';
import { fitTexts, reasonText, timeFormat, topText } from './history.ts';

test('several reasons are listed, and none is stated', () => {
  expect(reasonText({ reasons: ['append', 'attribute_import'] })).toBe('Append, attribute import');
  expect(reasonText({ reasons: [] })).toBe('No reason recorded');
});

test('the largest attributes have their devices', () => {
  const tea = { attribute_id: 1, name: 'Tea', audience_share: 0.5, index: 100 };
  expect(topText({ top_attributes: [{ ...tea, audience_devices: 1_200 }] })).toBe('Tea (1,200)');
  expect(topText({ top_attributes: [] })).toBe('–');
});

test('texts that would overlap a later one are left out', () => {
  const texts = [0, 5, 12, 25, 30].map((from) => ({ from, to: from + 10 }));
  expect(fitTexts(texts).map(({ from }) => from)).toEqual([0, 12, 30]);
});

test('a long axis has dates, and a short one also times', () => {
  const at = new Date(2026, 2, 5, 14, 30);
  const days = (count: number) => timeFormat(count * 86_400_000)(at);
  expect([0.01, 1, 30, 400].map(days)).toEqual(['14:30:00', '5 Mar, 14:30', '5 Mar', '5 Mar 2026']);
});
