import { expect, test } from 'vitest';
import { codeOf, invalidInput, messageOf, TributaryError } from './errors.ts';

test('an error keeps its code, its issues and its cause', () => {
  const cause = new Error('the driver said no');
  const error = new TributaryError('unavailable', 'The database is unavailable.', { cause });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'TributaryError', code: 'unavailable', issues: [], cause });
});

test('invalid input has a pointer and a message', () => {
  const error = invalidInput('/name', 'name is too long');
  expect(error).toMatchObject({
    code: 'invalid_input',
    message: 'name is too long',
    issues: [{ pointer: '/name', message: 'name is too long' }],
  });
});

test('any thrown value has a message, and a code only if it is a string', () => {
  expect([new TypeError('no'), 'text', undefined, 7].map(messageOf)).toEqual([
    'no',
    'text',
    'undefined',
    '7',
  ]);
  const coded = Object.assign(new Error('gone'), { code: 'ENOENT' });
  expect([coded, { code: 5 }, new Error('plain'), null, 'ENOENT'].map(codeOf)).toEqual([
    'ENOENT',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
