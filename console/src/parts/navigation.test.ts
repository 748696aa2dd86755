import { describe, expect, test } from 'vitest';
import { homeOf, likelyKind, placeAt } from './navigation.ts';

test('each kind of user has its own home page', () => {
  expect([homeOf('customer'), homeOf('partner'), homeOf('operator')]).toEqual([
    '/console/audiences',
    '/console/imports',
    '/console/operator',
  ]);
});

describe('the current item of the header', () => {
  test('is the closest one that contains the path', () => {
    expect(placeAt('partner', '/console/imports/17')?.label).toBe('Imports');
    expect(placeAt('partner', '/console/segments/5')?.label).toBe('Audiences');
    expect(placeAt('customer', '/console/compare')?.label).toBe('Audiences');
    expect(placeAt('operator', '/console/operator')?.label).toBe('Overview');
    expect(placeAt('operator', '/console/operator/partners/3')?.label).toBe('Partners');
  });

  test('is undefined if the path only starts with the same letters', () => {
    expect(placeAt('partner', '/console/uploads')).toBeUndefined();
    expect(placeAt('customer', '/console/account')).toBeUndefined();
  });
});

test('the sign-in guesses the kind of user from the path', () => {
  expect(likelyKind('/console/segments/5')).toBe('customer');
  expect(likelyKind('/console/audiences')).toBe('customer');
  expect(likelyKind('/console/apps')).toBe('customer');
  expect(likelyKind('/console/authorize/yGm2SmB4uWZlTq0pV4bPm')).toBe('customer');
  expect(likelyKind('/console/imports/9')).toBe('partner');
  expect(likelyKind('/console/upload')).toBe('partner');
  expect(likelyKind('/console/usage')).toBe('partner');
  expect(likelyKind('/console/webhooks')).toBe('partner');
  expect(likelyKind('/console/account')).toBe('customer');
  expect(likelyKind('/console/operator/customers')).toBe('operator');
  expect(likelyKind('/console/sign-in')).toBe('customer');
});
