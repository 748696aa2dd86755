const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function sizeText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

export function hoursText(seconds: number): string {
  return `${(seconds / 3600).toFixed(1)} hours`;
}

export function daysText(seconds: number): string {
  return `${(seconds / 86_400).toFixed(1)} days`;
}

/** The first few names, and how many more there are. */
export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/** Such as `1 file` and `2 files`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
