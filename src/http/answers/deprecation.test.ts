import swagger from '@fastify/swagger';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import type { App } from '../server/app-types.ts';
import { describeApi } from '../server/openapi.ts';
import { announceDeprecations } from './deprecation.ts';

async function startApp() {
  const app: App = fastify();
  announceDeprecations(app);
  await app.register(swagger, describeApi('1.0.0', 'http://localhost', 'session'));
  const link = 'https://example.com/docs#successor';
  const old = { since: '2027-01-31', sunset: '2028-01-31', link };
  const schema = { response: { 200: { type: 'object' } } };
  app.get('/old', { schema, config: { deprecation: old } }, async (_request, reply) => {
    reply.header('link', '</old?after=1>; rel="next"');
    return {};
  });
  app.get(
    '/older',
    { schema, config: { deprecation: { since: '2026-12-01', link } } },
    async () => {
      throw new Error('failed');
    },
  );
  app.get('/current', { schema }, async () => ({}));
  await app.ready();
  return app;
}

test('a deprecated operation says since when, until when and what to use instead', async () => {
  await using app = await startApp();
  const { headers } = await app.inject('/old');
  expect(headers).toMatchObject({
    deprecation: '@1801353600',
    sunset: 'Mon, 31 Jan 2028 00:00:00 GMT',
    link: '</old?after=1>; rel="next", <https://example.com/docs#successor>; rel="deprecation"; type="text/html"',
  });
  expect(new Date(1_801_353_600_000).toISOString()).toBe('2027-01-31T00:00:00.000Z');
});

test('errors have the headers as well, and Sunset is left out until it is decided', async () => {
  await using app = await startApp();
  const { statusCode, headers } = await app.inject('/older');
  expect(statusCode).toBe(500);
  expect(headers.deprecation).toBe(`@${Date.UTC(2026, 11, 1) / 1000}`);
  expect(headers).not.toHaveProperty('sunset');
});

test('other operations have none, and only the deprecated one is marked in OpenAPI', async () => {
  await using app = await startApp();
  const { headers } = await app.inject('/current');
  for (const name of ['deprecation', 'sunset', 'link']) expect(headers).not.toHaveProperty(name);
  const { paths } = app.swagger();
  expect(paths?.['/old']?.get).toMatchObject({ deprecated: true });
  expect(paths?.['/current']?.get).not.toHaveProperty('deprecated');
});
