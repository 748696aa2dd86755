import { describe, expect, it } from 'vitest';
import { compositionOf, wireAttribute, withheldAttribute } from './attribute.fixture.ts';
import { readAttributes } from './attribute.ts';
import {
  indexText,
  intervalText,
  qText,
  shareIntervalText,
  shareText,
  timesIntervalText,
  timesText,
  zText,
} from './figures.ts';

describe('figures', () => {
  it.each([
    [0, '0.0%'],
    [0.000001, '<0.001%'],
    [0.00034, '0.034%'],
    [0.0094, '0.94%'],
    [0.0096, '1.0%'],
    [0.123456, '12.3%'],
    [1, '100.0%'],
  ])('a share of %d is %s', (share, text) => {
    expect(shareText(share)).toBe(text);
  });

  it.each([
    [4.26, '4.3'],
    [99.6, '100'],
    [1234.5, '1,235'],
  ])('an index of %d is %s', (index, text) => {
    expect(indexText(index)).toBe(text);
  });

  it.each([
    [4, '0.04×'],
    [45, '0.5×'],
    [340, '3.4×'],
    [1260, '13×'],
  ])('an index of %d is %s the baseline', (index, text) => {
    expect(timesText(index)).toBe(text);
  });

  it('the interval of a multiple has two digits', () => {
    const [attribute] = readAttributes(compositionOf([wireAttribute({})]));
    const of = (indexLow: number, indexHigh: number) =>
      timesIntervalText({ ...attribute!, indexLow, indexHigh });
    expect([of(3.4, 4.42), of(217, 243)]).toEqual(['0.034–0.044', '2.2–2.4']);
  });

  it('z has its sign', () => {
    expect([zText(25.34), zText(-3.07), zText(0)]).toEqual(['+25.3', '−3.1', '0.0']);
  });

  it('q is rounded, but not to 0', () => {
    expect([qText(0.0513), qText(1e-9), qText(0), qText(1)]).toEqual([
      '0.051',
      '<0.001',
      '0.000',
      '1.000',
    ]);
  });

  it('an interval without both ends is empty', () => {
    const [whole, open] = readAttributes(
      compositionOf([wireAttribute(), wireAttribute({ index_low: null })]),
    );
    expect([intervalText(whole!), intervalText(open!)]).toEqual(['174–229', '']);
    const [withheld] = readAttributes(compositionOf([withheldAttribute('too_few_devices')]));
    expect([shareIntervalText(whole!), shareIntervalText(withheld!)]).toEqual(['17.6%–22.6%', '']);
  });
});
