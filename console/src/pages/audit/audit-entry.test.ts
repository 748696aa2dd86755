import { expect, test } from 'vitest';
import { callerOf } from './audit-entry.ts';

const nobody = {
  partner_name: null,
  api_key_id: null,
  api_key_label: null,
  access_key_id: null,
  email: null,
  user_id: null,
  app_name: null,
  client_id: null,
};

test('a caller is named, also if it no longer exists', () => {
  expect(callerOf({ ...nobody, actor: 'operator' }).name).toBe('Operator');
  const key = { ...nobody, actor: 'partner', partner_name: 'acme', api_key_id: 7 } as const;
  expect(callerOf({ ...key, api_key_label: 'nightly' })).toEqual({
    name: 'acme',
    kind: 'API key nightly',
  });
  expect(callerOf({ ...key, partner_name: null, api_key_label: '' })).toEqual({
    name: 'a removed partner',
    kind: 'API key 7',
  });
  const storage = { ...nobody, actor: 'partner', access_key_id: 'TRIB7' } as const;
  expect(callerOf({ ...storage, partner_name: 'acme' }).kind).toBe('Access key TRIB7');
  const user = { ...nobody, actor: 'user', user_id: 3 } as const;
  expect(callerOf({ ...user, email: 'ada@harbor.example' }).name).toBe('ada@harbor.example');
  expect(callerOf(user).name).toBe('user 3');
  const app = { ...user, actor: 'app', client_id: 'app_1' } as const;
  expect(callerOf(app)).toEqual({ name: 'app_1', kind: 'App for user 3' });
  expect(callerOf({ ...app, client_id: null }).name).toBe('an app');
});
