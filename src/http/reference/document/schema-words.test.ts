import { expect, test } from 'vitest';
import type { Schema } from './openapi-document.ts';
import { fieldOf, fieldsOf } from './schema-fields.ts';
import { limitsInWords, typeInWords } from './schema-words.ts';

const schemas: Record<string, Schema> = {
  Status: {
    anyOf: [
      { const: 0, description: 'pending' },
      { const: 1, description: 'running' },
    ],
  },
  Tree: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
    },
  },
};

test.each<[string, Schema]>([
  ['string', { type: 'string' }],
  ['string or null', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ['integer or null', { type: ['integer', 'null'] }],
  ['null', { type: 'null' }],
  ['0 or 1', { $ref: '#/components/schemas/Status' }],
  ['"merge" or "replace"', { anyOf: [{ enum: ['merge'] }, { enum: ['replace'] }] }],
  ['"a", "b" or null', { enum: ['a', 'b', null] }],
  ['string', { enum: ['a', 'b', 'c', 'd', 'e', 'f'] }],
  ['array of strings', { type: 'array', items: { type: 'string' } }],
  ['array of 0 or 1', { type: 'array', items: { $ref: '#/components/schemas/Status' } }],
  ['array of arrays of UUIDs', arrayOf(arrayOf({ type: 'string', format: 'uuid' }))],
  ['array', { type: 'array' }],
  ['object of integers by name', { type: 'object', additionalProperties: { type: 'integer' } }],
  ['timestamp', { type: 'string', format: 'date-time' }],
  ['bytes', { type: 'string', format: 'binary' }],
  ['anything', {}],
  ['anything', { $ref: '#/components/schemas/Missing' }],
])('the type is described as %s', (words, schema) => {
  expect(typeInWords(schema, schemas)).toBe(words);
});

function arrayOf(items: Schema): Schema {
  return { type: 'array', items };
}

test.each<[string[], Schema]>([
  [['1 to 255 characters'], { type: 'string', minLength: 1, maxLength: 255 }],
  [['at least 1 character'], { type: 'string', minLength: 1 }],
  [['exactly 2 characters'], { type: 'string', minLength: 2, maxLength: 2 }],
  [
    ['at most 10,000 items', 'no duplicates'],
    { type: 'array', maxItems: 10_000, uniqueItems: true },
  ],
  [['each at most 9 characters'], arrayOf({ type: 'string', maxLength: 9 })],
  [['0 to 3'], { anyOf: [{ type: 'integer', minimum: 0, maximum: 3 }, { type: 'null' }] }],
  [['at least 1'], { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }],
  [['matching ^[^|]*$'], { type: 'string', pattern: '^[^|]*$' }],
  [[], { type: 'string' }],
])('the limits are described as %j', (expected, schema) => {
  const limits = limitsInWords(schema, schemas);
  expect(limits.map(({ words, code }) => (code ? `${words} ${code}` : words))).toEqual(expected);
});

test('nested members are listed under their parent, a recursive schema once', () => {
  const body: Schema = {
    type: 'object',
    required: ['credentials'],
    properties: {
      credentials: { type: 'object', properties: { region: { type: 'string' } } },
      trees: { anyOf: [arrayOf({ $ref: '#/components/schemas/Tree' }), { type: 'null' }] },
    },
  };
  const rows = fieldsOf(body, schemas).map(
    ({ parent, name, required, type }) => `${parent}${name}${required ? '*' : ''}: ${type}`,
  );
  expect(rows).toEqual([
    'credentials*: object',
    'credentials.region: string',
    'trees: array of objects or null',
    'trees[].name*: string',
    'trees[].children: array of objects',
  ]);
  expect(fieldsOf(arrayOf(body), schemas).map(({ parent }) => parent)).toContain('credentials.');
});

test('a field has the meanings of its values, its default, and the text beside a reference', () => {
  const field = fieldOf(
    'status',
    { $ref: '#/components/schemas/Status', description: 'How far it is.', default: 0 },
    schemas,
    { required: true },
  );
  expect(field.constants).toEqual([
    { value: 0, meaning: 'pending' },
    { value: 1, meaning: 'running' },
  ]);
  expect(field.description).toBe('How far it is.');
  expect(field.limits).toEqual([{ words: 'default', code: '0' }]);
});

test('a closed set that is too long for the type is listed', () => {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
  const field = fieldOf('letter', { enum: letters }, schemas, { required: true });
  expect(field.constants.map(({ value }) => value)).toEqual(letters);
});
