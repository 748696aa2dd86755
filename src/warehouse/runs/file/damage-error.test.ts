import { readSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isDamage, unreadable } from './damage-error.ts';
import { listField, readThrift } from './thrift-reader.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return unreadable('job-1-1.parquet', 'footer', error);
  }
  throw new Error('nothing was thrown');
}

const thrift = readThrift(new Uint8Array(1), 0);

const fails = (code: string) => () => {
  throw Object.assign(new Error('no'), { code });
};

describe('isDamage', () => {
  it.each([
    ['a check that fails', () => thrift.expectField(listField)],
    ['an offset that there cannot be', () => readSync(0, new Uint8Array(1), 0, 1, 0.5)],
    ['a disk that cannot read it', fails('EIO')],
  ])('is said of %s', (_, act) => {
    expect(isDamage(thrownBy(act))).toBe(true);
  });

  it.each(['ENOENT', 'EMFILE', 'ENOMEM'])('is not said of %s, which may pass', (code) => {
    expect(isDamage(thrownBy(fails(code)))).toBe(false);
  });

  it('is not said of what has nothing to do with a file', () => {
    expect(isDamage(new Error('stopped'))).toBe(false);
  });
});
