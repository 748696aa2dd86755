import { expect, test } from 'vitest';
import { operationsIn } from './operations.ts';

test('operations are named as in the log, without reads that are not logged', () => {
  const list = { summary: 'List', tags: ['Operator'] };
  const described = {
    paths: {
      '/admin/v1/partners/{partner_id}': { get: list, patch: { ...list, summary: 'Change' } },
      '/admin/v1/partners/{partner_id}/objects/{key}': { put: { summary: 'Put' } },
      '/v1/marketplace/import': { get: list, post: { summary: 'Import', tags: ['Imports'] } },
    },
  };
  expect(operationsIn(described).map(({ action, summary }) => `${action}: ${summary}`)).toEqual([
    'GET /admin/v1/partners/:partner_id: List',
    'PATCH /admin/v1/partners/:partner_id: Change',
    'PUT /admin/v1/partners/:partner_id/objects/*: Put',
    'POST /v1/marketplace/import: Import',
    's3:PutObject: Upload an object',
    's3:DeleteObject: Delete objects',
  ]);
});
