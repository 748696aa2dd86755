import { expect, test } from 'vitest';
import { isNewerVersion } from './newer-version.ts';

const ascending = [
  '0.1.0',
  '0.1.9',
  '0.1.10',
  '0.2.0-rc.2',
  '0.2.0-rc.10',
  '0.2.0',
  '1.0.0-rc.1',
  '1.0.0',
  '10.0.0',
];

test('versions are compared by number, and a preview comes before its release', () => {
  for (const [at, version] of ascending.entries()) {
    const older = ascending.filter((other) => isNewerVersion(version, other));
    expect([version, older]).toEqual([version, ascending.slice(0, at)]);
  }
});
