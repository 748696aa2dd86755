import { readSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isDamageError, unreadableError } from './damage-error.ts';
import { listField, readThrift } from './thrift-reader.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return unreadableError({ file: 'job-1-1.parquet', firstRowGroup: null }, 'footer', error);
  }
  throw new Error('nothing was thrown');
}

const thrift = readThrift(new Uint8Array(1), 0);

const fails = (code: string) => () => {
  throw Object.assign(new Error('no'), { code });
};

describe('isDamageError', () => {
  it.each([
    ['a failed check', () => thrift.expectField(listField)],
    ['an impossible offset', () => readSync(0, new Uint8Array(1), 0, 1, 0.5)],
    ['a read error of the disk', fails('EIO')],
  ])('is true for %s', (_, act) => {
    expect(isDamageError(thrownBy(act))).toBe(true);
  });

  it.each(['ENOENT', 'EMFILE', 'ENOMEM'])('is false for %s, which may be temporary', (code) => {
    expect(isDamageError(thrownBy(fails(code)))).toBe(false);
  });

  it('is false for an error that is not about a file', () => {
    expect(isDamageError(new Error('stopped'))).toBe(false);
  });
});
