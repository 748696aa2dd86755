import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type FastifyInstance, fastify } from 'fastify';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import {
  compileOnFirstUse,
  createSchemaCompilers,
} from '../../../../src/http/server/schema-compilers.ts';
import { startTestApp } from '../../../support/app.ts';

/** Makes routes compile their schemas at the start, and returns the number of schemas so far. */
function compileAtStart(app: FastifyInstance): () => number {
  const { validator, serializer } = createSchemaCompilers();
  let compiled = 0;
  app.addHook('onRoute', (route) => {
    route.validatorCompiler = (part) => {
      compiled += 1;
      return validator(part);
    };
    route.serializerCompiler = (part) => {
      compiled += 1;
      return serializer(part);
    };
  });
  return () => compiled;
}

test('the schemas of all routes can be compiled', async () => {
  let compiled = () => 0;
  const begun = (message: unknown) => {
    compiled = compileAtStart((message as { fastify: FastifyInstance }).fastify);
  };
  subscribe('fastify.initialization', begun);
  try {
    await using _service = await startTestApp();
  } finally {
    unsubscribe('fastify.initialization', begun);
  }
  expect(compiled()).toBeGreaterThan(200);
});

const broken = [
  ['request', { body: Type.Ref('Missing') }],
  ['response', { response: { 200: Type.Ref('Missing') } }],
] as const;

test.each(broken)('a %s schema with a broken reference cannot be compiled', async (_, schema) => {
  const app = fastify();
  compileAtStart(app);
  app.post('/broken', { schema }, async () => ({}));
  await expect(app.ready()).rejects.toThrow(/POST: \/broken.*Missing/);
});

test.each(broken)(
  'a broken %s schema that is compiled on first use fails the request',
  async (_, schema) => {
    const app = fastify();
    const { validator, serializer } = compileOnFirstUse(createSchemaCompilers);
    app.setValidatorCompiler(validator).setSerializerCompiler(serializer);
    app.post('/broken', { schema }, async () => ({}));
    const { statusCode } = await app.inject({ method: 'POST', url: '/broken', payload: {} });
    expect(statusCode).toBe(500);
  },
);
