import { expect, test } from 'vitest';
import { preferredType } from './accept.ts';

const offered = ['text/csv', 'application/x-ndjson'] as const;

test.each([
  [undefined, 'text/csv'],
  ['', 'text/csv'],
  ['*/*', 'text/csv'],
  ['text/csv', 'text/csv'],
  ['image/png', 'text/csv'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['Application/X-NDJSON; charset=utf-8', 'application/x-ndjson'],
  ['application/*', 'application/x-ndjson'],
  ['application/x-ndjson, */*', 'application/x-ndjson'],
  ['*/*, application/x-ndjson', 'application/x-ndjson'],
  ['text/csv;q=0.5, application/x-ndjson;q=0.9', 'application/x-ndjson'],
  ['text/csv, application/x-ndjson;q=0.9', 'text/csv'],
  ['application/x-ndjson;q=0, */*;q=0.1', 'text/csv'],
  ['text/csv;q=0, */*', 'application/x-ndjson'],
  ['application/x-ndjson;q=nonsense', 'text/csv'],
  [',;,=;q', 'text/csv'],
])('Accept: %s prefers %s', (accept, type) => {
  expect(preferredType(accept, offered)).toBe(type);
});
