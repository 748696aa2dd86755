import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitLabel } from './label-fit.ts';

const monospace = (text: string) => Array.from(text).length;

describe('a label', () => {
  it.each([
    [30, 'Autos › Owners › ', 'Electric', false],
    [24, '… › Owners › ', 'Electric', true],
    [12, '', 'Electric', true],
    [6, '', 'Elect…', true],
  ])('of %d characters is %j and %j', (width, path, leaf, isCut) => {
    expect(fitLabel(['Autos', 'Owners'], 'Electric', width, monospace)).toEqual({
      path,
      leaf,
      isCut,
    });
  });

  it('is never wider than the available width, and is cut only if it must be', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 4 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 60 }),
        (ancestors, leaf, width) => {
          const label = fitLabel(ancestors, leaf, width, monospace);
          expect(monospace(label.path + label.leaf)).toBeLessThanOrEqual(width);
          const whole = [...ancestors, leaf].join(' › ');
          expect(label.isCut).toBe(monospace(whole) > width);
        },
      ),
    );
  });
});
