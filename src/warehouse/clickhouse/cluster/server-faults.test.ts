import { describe, expect, it } from 'vitest';
import { TributaryError } from '../../../domain/errors.ts';
import { isServersAnswer, serverCodeOf, translateError } from './server-faults.ts';

const old = (code: number, text: string) =>
  new Error(`Code: ${code}, e.displayText() = DB::Exception: ${text}, e.what() = DB::Exception\n`);
const current = (code: number, text: string) => Object.assign(new Error(text), { code: `${code}` });

describe('errors of a server', () => {
  it.each([
    ['an old one', old(202, 'Too many simultaneous queries'), 202],
    ['a current one', current(252, 'Too many parts'), 252],
    ['no server', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), undefined],
  ])('have the code of the server: %s', (_, error, code) => {
    expect(serverCodeOf(error)).toBe(code);
    expect(isServersAnswer(translateError(error, 'shard:8123'))).toBe(code !== undefined);
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
  ])(
    'mean "unavailable" if the server is busy or unreachable or the operator must act: %s',
    (error) => {
      const fault = translateError(error, 'shard:8123');
      expect(fault).toBeInstanceOf(TributaryError);
      expect(fault).toMatchObject({ code: 'unavailable', cause: error });
    },
  );

  it.each([
    old(243, 'Cannot reserve 1.00 MiB, not enough space'),
    current(75, 'Cannot write to file, errno: 28, strerror: No space left on device'),
  ])('report a full disk: %s', (error) => {
    expect(translateError(error, 'shard:8123')).toMatchObject({ code: 'storage_full' });
  });

  it('are permanent if a query exceeds its own memory limit', () => {
    const error = old(241, 'Memory limit (for query) exceeded: would use 516.01 MiB');
    expect(translateError(error, 'shard:8123')).not.toBeInstanceOf(TributaryError);
  });

  it('are otherwise unexpected and quote the server', () => {
    const fault = translateError(old(62, 'Syntax error'), 'shard:8123');
    expect(fault).not.toBeInstanceOf(TributaryError);
    expect(fault).toMatchObject({
      message: 'the warehouse refused a query: shard:8123: Code: 62, DB::Exception: Syntax error',
    });
  });
});
