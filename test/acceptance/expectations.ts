import { expect } from 'vitest';
import type { Answer } from './marketplace/marketplace.ts';

/** An answer that refuses, in the form that all of them have. */
export function expectProblem(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body?.code, answer.text]).toEqual([status, code, answer.text]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.body).toMatchObject({
    type: expect.stringMatching(/.+/),
    title: expect.stringMatching(/.+/),
    status,
    detail: expect.stringMatching(/.+/),
    request_id: expect.stringMatching(/.+/),
  });
  expect(answer.text).not.toMatch(/\bat .*\.ts:\d+/);
}

/** What every `/progress` tells. */
export const progressMembers = [
  'bytes_read',
  'bytes_total',
  'rows_read',
  'rows_per_second',
  'queue_position',
  'waiting_for',
  'eta_seconds',
];
