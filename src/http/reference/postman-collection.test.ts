import { expect, test } from 'vitest';
import type { OpenApiDocument } from './document/openapi-document.ts';
import { postmanCollection } from './postman-collection.ts';

const document: OpenApiDocument = {
  info: { title: 'Tributary', version: '1.2.3', description: 'Loads files.' },
  servers: [{ url: 'https://api.example.com/' }],
  tags: [{ name: 'Imports', description: 'Files in.' }],
  components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/v1/import/{import_id}': {
      get: {
        summary: 'Get import',
        description: 'One import.',
        tags: ['Imports'],
        security: [{ apiKey: [] }],
        parameters: [
          {
            name: 'import_id',
            in: 'path',
            required: true,
            schema: { type: 'string', examples: ['7'] },
          },
          { name: 'limit', in: 'query', schema: { type: 'integer', examples: [100] } },
        ],
      },
    },
    '/v1/import': {
      post: {
        summary: 'Queue an import',
        tags: ['Imports'],
        security: [{ apiKey: [] }],
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['path'],
                properties: { path: { type: 'string', examples: ['a.csv'] } },
              },
            },
          },
        },
      },
      put: {
        summary: 'Upload',
        tags: ['Imports'],
        requestBody: {
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
      },
    },
  },
};

test('every operation is a request, with variables instead of secrets', () => {
  expect(postmanCollection(document)).toEqual({
    info: {
      name: 'Tributary 1.2.3',
      description: 'Loads files.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [
      { key: 'BASE_URL', value: 'https://api.example.com' },
      { key: 'API_KEY', value: '' },
    ],
    item: [
      {
        name: 'Imports',
        description: 'Files in.',
        item: [
          {
            name: 'Get import',
            request: {
              method: 'GET',
              description: 'One import.',
              header: [{ key: 'Authorization', value: 'Bearer {{API_KEY}}' }],
              url: {
                raw: '{{BASE_URL}}/v1/import/:import_id',
                host: ['{{BASE_URL}}'],
                path: ['v1', 'import', ':import_id'],
                query: [{ key: 'limit', value: '100', disabled: true }],
                variable: [{ key: 'import_id', value: '7' }],
              },
            },
          },
          {
            name: 'Queue an import',
            request: {
              method: 'POST',
              header: [
                { key: 'Authorization', value: 'Bearer {{API_KEY}}' },
                { key: 'Idempotency-Key', value: '{{$guid}}' },
                { key: 'Content-Type', value: 'application/json' },
              ],
              url: {
                raw: '{{BASE_URL}}/v1/import',
                host: ['{{BASE_URL}}'],
                path: ['v1', 'import'],
                variable: [],
              },
              body: {
                mode: 'raw',
                raw: '{\n  "path": "a.csv"\n}',
                options: { raw: { language: 'json' } },
              },
            },
          },
          {
            name: 'Upload',
            request: {
              method: 'PUT',
              header: [{ key: 'Content-Type', value: 'application/octet-stream' }],
              url: {
                raw: '{{BASE_URL}}/v1/import',
                host: ['{{BASE_URL}}'],
                path: ['v1', 'import'],
                variable: [],
              },
              body: { mode: 'file', file: {} },
            },
          },
        ],
      },
    ],
  });
});
