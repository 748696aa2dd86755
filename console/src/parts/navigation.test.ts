import { describe, expect, test } from 'vitest';
import { homeOf, likelyKind, placeAt } from './navigation.ts';

test('each kind has a home of its own', () => {
  expect([homeOf('customer'), homeOf('partner'), homeOf('operator')]).toEqual([
    '/console/audiences',
    '/console/imports',
    '/console/operator',
  ]);
});

describe('the place that the header marks', () => {
  test('is the one that the path lies below, and the closest of them', () => {
    expect(placeAt('partner', '/console/imports/17')?.label).toBe('Imports');
    expect(placeAt('operator', '/console/operator')?.label).toBe('Overview');
    expect(placeAt('operator', '/console/operator/partners/3')?.label).toBe('Partners');
  });

  test('is none if the path only begins like one', () => {
    expect(placeAt('partner', '/console/uploads')).toBeUndefined();
    expect(placeAt('customer', '/console/account')).toBeUndefined();
  });
});

test('the sign-in guesses from the path who comes', () => {
  expect(likelyKind('/console/segments/5')).toBe('customer');
  expect(likelyKind('/console/audiences')).toBe('customer');
  expect(likelyKind('/console/apps')).toBe('customer');
  expect(likelyKind('/console/authorize/yGm2SmB4uWZlTq0pV4bPm')).toBe('customer');
  expect(likelyKind('/console/imports/9')).toBe('partner');
  expect(likelyKind('/console/upload')).toBe('partner');
  expect(likelyKind('/console/operator/customers')).toBe('operator');
  expect(likelyKind('/console/sign-in')).toBe('customer');
});
