const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const oneTenth = new Intl.NumberFormat('en', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** 1,234,567 */
export function count(n: number): string {
  return whole.format(n);
}

/** 1 entry, 1,234 entries */
export function counted(n: number, one: string, many: string): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** One decimal. Only exactly 0 and 1 are shown as 0% and 100%. */
export function percent(share: number): string {
  if (share <= 0) return '0%';
  if (share < 0.001) return '<0.1%';
  if (share === 1) return '100%';
  if (share > 0.999 && share < 1) return '>99.9%';
  return `${oneTenth.format(share * 100)}%`;
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** 1.5 GiB */
export function bytes(n: number): string {
  let value = n;
  let unit = 0;
  // 1023.95 would round to 1024 of the smaller unit.
  while (value >= 1023.95 && unit < byteUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? whole.format(value) : tenths.format(value)} ${byteUnits[unit]}`;
}

/** The two largest units: <1 s, 45 s, 2 min 10 s, 1 h 5 min, 3 d 4 h. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 0.5) return '<1 s';
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3_600) return joined(Math.floor(s / 60), 'min', s % 60, 's');
  if (s < 86_400) return joined(Math.floor(s / 3_600), 'h', Math.floor((s % 3_600) / 60), 'min');
  return joined(Math.floor(s / 86_400), 'd', Math.floor((s % 86_400) / 3_600), 'h');
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0
    ? `${whole.format(large)} ${largeUnit}`
    : `${whole.format(large)} ${largeUnit} ${small} ${smallUnit}`;
}

/** 1.23M rows/s */
export function rate(rowsPerSecond: number): string {
  return `${compact.format(rowsPerSecond)} rows/s`;
}

const relativeUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** 3 minutes ago, yesterday, in 2 hours. More than a month away, the date. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  if (Math.abs(seconds) > 30 * 86_400) return exactDate(at);
  for (const [unit, length] of relativeUnits) {
    if (Math.abs(seconds) < length) continue;
    // Past times count full units; future times round to the nearest.
    const away = seconds / length;
    return relative.format(away < 0 ? Math.trunc(away) : Math.round(away), unit);
  }
  // The clocks of the service and the reader may differ by some seconds.
  return seconds < 30 ? 'just now' : 'in a minute';
}

/** In the reader's own time zone, to the second. */
export function exactTime(at: Date): string {
  return exact.format(at);
}

function exactDate(at: Date): string {
  return at.toLocaleDateString('en-GB', { dateStyle: 'medium' });
}
