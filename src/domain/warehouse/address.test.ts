import { expect, it } from 'vitest';
import { type ClickhouseAddress, usedWarehouse } from './address.ts';

const old: ClickhouseAddress = {
  url: 'http://a:8123',
  username: 'u',
  password: 'old',
  database: 'd',
  cluster: null,
};
const moved = { kind: 'clickhouse', copyId: 1, clickhouse: old } as const;

it('the setting decides until the device sets are moved', () => {
  expect(usedWarehouse(old, undefined)).toBe(old);
  expect(usedWarehouse(null, { ...moved, copyId: null })).toBe(null);
});

it('the record decides after a move, except about the credentials of the same place', () => {
  expect(usedWarehouse(null, moved)).toBe(old);
  const renewed = { ...old, password: 'new' };
  expect(usedWarehouse(renewed, moved)).toBe(renewed);
  expect(usedWarehouse({ ...old, cluster: 'pair' }, moved)).toBe(old);
  expect(usedWarehouse(old, { ...moved, kind: 'folder', clickhouse: null })).toBe(null);
});
