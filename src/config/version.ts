import { readFileSync } from 'node:fs';

/** The version of this Tributary. package.json is the only place that states it. */
export function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).version;
}
