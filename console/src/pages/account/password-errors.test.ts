import { expect, test } from 'vitest';
import { passwordErrors } from './password-errors.ts';

const good = 'a long sentence';

test('a new password that was typed twice is accepted', () => {
  expect(passwordErrors('before', good, good)).toEqual({});
});

test('a link needs no current password', () => {
  expect(passwordErrors(undefined, good, good)).toEqual({});
});

test('each field has its own error', () => {
  expect(passwordErrors('', 'short', 'shorter')).toEqual({
    current: 'Enter your current password.',
    wanted: 'Too short: 5 of at least 12 characters.',
    again: 'The passwords do not match.',
  });
});

test('the new password must differ from the current one', () => {
  expect(passwordErrors(good, good, good)).toEqual({ wanted: 'This is your current password.' });
});

test('the length is counted in characters, not in UTF-16 units', () => {
  expect(passwordErrors('before', '🌊'.repeat(11), '🌊'.repeat(11))).toEqual({
    wanted: 'Too short: 11 of at least 12 characters.',
  });
  expect(passwordErrors('before', '🌊'.repeat(12), '🌊'.repeat(12))).toEqual({});
});
