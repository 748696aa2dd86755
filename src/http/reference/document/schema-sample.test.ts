import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { mediaExample } from './media-example.ts';
import type { Schema } from './openapi-document.ts';
import { sampleOf } from './schema-sample.ts';

const record = Type.Object({
  id: Type.Integer({ minimum: 5 }),
  share: Type.Number({ maximum: 0.5 }),
  name: Type.String({ minLength: 10, maxLength: 12 }),
  initial: Type.String({ maxLength: 1 }),
  count: Type.String({ pattern: '^\\d+$' }),
  status: Type.Union([Type.Literal(0), Type.Literal(1)]),
  keys: Type.Union([Type.Array(Type.String(), { minItems: 2 }), Type.Null()]),
  nothing: Type.Null(),
  none: Type.Array(Type.String(), { maxItems: 0 }),
  at: Type.String({ format: 'date-time' }),
  ok: Type.Boolean(),
  note: Type.Optional(Type.String({ default: 'none' })),
});

test.each(['request', 'answer'] as const)('a sample %s is valid for its schema', (side) => {
  const sample = sampleOf(record, {}, side);
  expect([...Value.Errors(record, sample)]).toEqual([]);
  expect(Value.Check(record, {})).toBe(false);
});

test('a request shows required members and those with an example; an answer shows all', () => {
  const schema = Type.Object({
    name: Type.String(),
    label: Type.Optional(Type.String({ examples: ['production'] })),
    note: Type.Optional(Type.String()),
  });
  expect(sampleOf(schema, {}, 'request')).toEqual({ name: 'string', label: 'production' });
  expect(sampleOf(schema, {}, 'answer')).toHaveProperty('note', 'string');
});

test('an example, even null, comes before the default', () => {
  const schema: Schema = { type: ['string', 'null'], default: 'd', examples: [null, 'x'] };
  expect(sampleOf(schema, {}, 'answer')).toBeNull();
  expect(sampleOf({ type: 'string', default: 'd' }, {}, 'answer')).toBe('d');
});

test('a recursive schema is sampled once', () => {
  const Tree: Schema = {
    type: 'object',
    properties: {
      parent: { anyOf: [{ $ref: '#/components/schemas/Tree' }, { type: 'null' }] },
      next: { $ref: '#/components/schemas/Tree' },
      children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
    },
  };
  expect(sampleOf(Tree, { Tree }, 'answer')).toEqual({ parent: null, children: [] });
});

test('JSON is preferred; text is shown only if it has an example, bytes never', () => {
  const text = { schema: { type: 'string' } };
  const json = { schema: { const: 'ok' } };
  expect(mediaExample({ 'text/csv': text, 'application/json': json }, {}, 'answer')).toEqual({
    type: 'application/json',
    text: '"ok"',
  });
  const csv = { ...text, examples: { short: { value: 'id,attribute_ids\n' } } };
  expect(mediaExample({ 'text/csv': csv }, {}, 'answer')?.text).toBe('id,attribute_ids\n');
  expect(mediaExample({ 'text/csv': text }, {}, 'answer')?.text).toBeUndefined();
  expect(mediaExample({}, {}, 'answer')).toBeUndefined();
});
