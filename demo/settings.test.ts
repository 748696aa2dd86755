import { expect, test } from 'vitest';
import { demoEnvironment, readOptions } from './settings.ts';

test('only addresses are taken from the environment, so another service stays untouched', () => {
  const env = {
    PATH: '/bin',
    DATABASE_URL: 'postgres://example/real',
    TRIBUTARY_DATA_DIR: '/srv/real',
    TRIBUTARY_ADMIN_TOKEN: 'a token of the real service',
    TRIBUTARY_S3_ENDPOINT: 'https://example',
    TRIBUTARY_PORT: '8081',
    TRIBUTARY_S3_PORT: '9001',
  };
  expect(demoEnvironment(env, '/tmp/demo')).toEqual({
    PATH: '/bin',
    TRIBUTARY_PORT: '8081',
    TRIBUTARY_S3_PORT: '9001',
    TRIBUTARY_DATA_DIR: '/tmp/demo',
  });
});

test('without options the demo is complete and uses its own folder', () => {
  expect(readOptions([])).toMatchObject({ keep: false, exit: false, scale: 1 });
  expect(readOptions([]).dataDir).toMatch(/\/demo-data$/);
});

test.each([['--scale', '0'], ['--scale', '2'], ['--scale', 'x'], ['--unknown'], ['more']])(
  '%s %s is refused',
  (...args) => {
    expect(() => readOptions(args)).toThrow();
  },
);
