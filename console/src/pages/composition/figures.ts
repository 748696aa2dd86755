import type { Attribute } from './attribute.ts';

/** Formats of the report's figures. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const thousandths = new Intl.NumberFormat('en', {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
});
const twoDigits = new Intl.NumberFormat('en', {
  minimumSignificantDigits: 2,
  maximumSignificantDigits: 2,
});
const signedTenths = new Intl.NumberFormat('en', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});

/**
 * One decimal; below one percent two significant digits, to distinguish a small attribute from one
 * three times its size.
 */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent >= 0.95 || percent === 0) return `${tenths.format(percent)}%`;
  return percent < 0.001 ? '<0.001%' : `${twoDigits.format(percent)}%`;
}

/** Below 10 a whole number would be too coarse. */
export function indexText(index: number): string {
  return index < 10 ? tenths.format(index) : whole.format(index);
}

/** The 95% interval of the audience's share. */
export function shareIntervalText({ shareLow, shareHigh }: Attribute): string {
  if (shareLow === null || shareHigh === null) return '';
  return `${shareText(shareLow)}–${shareText(shareHigh)}`;
}

export function intervalText({ indexLow, indexHigh }: Attribute): string {
  if (indexLow === null || indexHigh === null) return '';
  return `${indexText(indexLow)}–${indexText(indexHigh)}`;
}

/** The index as a multiple of the baseline: 3.4×. */
export function timesText(index: number): string {
  const times = index / 100;
  if (times >= 10) return `${whole.format(times)}×`;
  return times < 0.1 ? `${times.toPrecision(1)}×` : `${tenths.format(times)}×`;
}

/** The interval of the index as multiples of the baseline: 3.2–3.6. */
export function timesIntervalText({ indexLow, indexHigh }: Attribute): string {
  if (indexLow === null || indexHigh === null) return '';
  return `${twoDigits.format(indexLow / 100)}–${twoDigits.format(indexHigh / 100)}`;
}

export function qText(q: number): string {
  return q > 0 && q < 0.001 ? '<0.001' : thousandths.format(q);
}

export function zText(z: number): string {
  return signedTenths.format(z).replace('-', '−');
}
