import { randomBytes } from 'node:crypto';

/** The name of a set begins with the time, so that names sort by age. */
export function newSetName(now: Date): string {
  const time = now.toISOString().replaceAll(/[-:.]/g, '');
  return `${time}-${randomBytes(3).toString('hex')}`;
}

export function isSetName(text: string): boolean {
  return /^\d{8}T\d{9}Z-[0-9a-f]{6}$/.test(text);
}
