import { expect, test } from 'vitest';
import { passwordFaults } from './password-faults.ts';

const good = 'a long sentence';

test('nothing is wrong with a new password that was typed twice', () => {
  expect(passwordFaults('before', good, good)).toEqual({});
});

test('each field says what is wrong with it', () => {
  expect(passwordFaults('', 'short', 'shorter')).toEqual({
    current: 'Enter the password that you sign in with now.',
    wanted: 'Has 5 of at least 12 characters.',
    again: 'This is not the same as above.',
  });
});

test('the same password again is no change', () => {
  expect(passwordFaults(good, good, good)).toEqual({ wanted: 'This is the one that you have.' });
});

test('characters are counted, not the units that they are stored in', () => {
  expect(passwordFaults('before', '🌊'.repeat(11), '🌊'.repeat(11))).toEqual({
    wanted: 'Has 11 of at least 12 characters.',
  });
  expect(passwordFaults('before', '🌊'.repeat(12), '🌊'.repeat(12))).toEqual({});
});
