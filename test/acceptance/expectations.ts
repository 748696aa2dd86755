import { expect } from 'vitest';
import type { Answer } from './marketplace/marketplace.ts';

/** Checks an error response, which always has the same form. */
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

/** The fields of every `/progress`. */
export const progressMembers = [
  'bytes_read',
  'bytes_total',
  'rows_read',
  'rows_per_second',
  'queue_position',
  'waiting_for',
  'eta_seconds',
];
