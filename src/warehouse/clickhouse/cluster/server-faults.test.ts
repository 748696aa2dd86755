import { describe, expect, it } from 'vitest';
import { TributaryError } from '../../../domain/errors.ts';
import { WarehouseFull } from '../../port.ts';
import { serverCodeOf, translated } from './server-faults.ts';

const old = (code: number, text: string) =>
  new Error(`Code: ${code}, e.displayText() = DB::Exception: ${text}, e.what() = DB::Exception\n`);
const current = (code: number, text: string) => Object.assign(new Error(text), { code: `${code}` });

describe('errors of a server', () => {
  it.each([
    ['an old one', old(202, 'Too many simultaneous queries'), 202],
    ['a current one', current(252, 'Too many parts'), 252],
    ['the way to it', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), undefined],
  ])('have the code that %s gives', (_, error, code) => {
    expect(serverCodeOf(error)).toBe(code);
  });

  it.each([
    old(202, 'Too many simultaneous queries'),
    current(279, 'All connection tries failed'),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    new Error('Timeout error.'),
    old(81, "Database tributary doesn't exist"),
    current(516, 'tributary: Authentication failed: password is incorrect'),
    old(241, 'Memory limit (for user) exceeded: would use 9.31 GiB'),
    current(241, '(total) memory limit exceeded: would use 37.62 GiB'),
  ])('are passing if the server is only busy or away, or the operator has to act: %s', (error) => {
    const fault = translated(error, 'shard:8123');
    expect(fault).toBeInstanceOf(TributaryError);
    expect(fault).toMatchObject({ code: 'unavailable', cause: error });
  });

  it.each([
    old(243, 'Cannot reserve 1.00 MiB, not enough space'),
    current(75, 'Cannot write to file, errno: 28, strerror: No space left on device'),
  ])('tell of a full disk: %s', (error) => {
    expect(translated(error, 'shard:8123')).toBeInstanceOf(WarehouseFull);
  });

  it('are lasting if a query needs more memory than it may have', () => {
    const error = old(241, 'Memory limit (for query) exceeded: would use 516.01 MiB');
    expect(translated(error, 'shard:8123')).not.toBeInstanceOf(TributaryError);
  });

  it('are surprises otherwise, told in the words of the server', () => {
    const fault = translated(old(62, 'Syntax error'), 'shard:8123');
    expect(fault).not.toBeInstanceOf(TributaryError);
    expect(fault).toMatchObject({
      message: 'the warehouse refused a query: shard:8123: Code: 62, DB::Exception: Syntax error',
    });
  });
});
