import { expect, test } from 'vitest';
import { answerOf, fieldProblem, ProblemError, problemOf } from './problem.ts';

function answered(status: number, error: unknown, headers: Record<string, string> = {}) {
  return Promise.resolve({ error, response: new Response(null, { status, headers }) });
}

async function problemOfCall(call: Promise<{ error?: unknown; response: Response }>) {
  return problemOf(await answerOf(call).catch((thrown: unknown) => thrown));
}

test('a successful call returns the data', async () => {
  const response = new Response(null, { status: 200 });
  expect(await answerOf(Promise.resolve({ data: 7, response }))).toBe(7);
});

test('a problem keeps the texts of the service', async () => {
  const error = {
    title: 'Too many requests',
    detail: 'Too many failed attempts.',
    code: 'rate_limited',
    request_id: 'r-1',
  };
  expect(await problemOfCall(answered(429, error, { 'retry-after': '90' }))).toEqual({
    title: 'Too many requests',
    detail: 'Too many failed attempts.',
    status: 429,
    code: 'rate_limited',
    requestId: 'r-1',
    retryAfterSeconds: 90,
  });
});

test('an error response of a proxy becomes a problem', async () => {
  expect(await problemOfCall(answered(502, '<html>'))).toEqual({
    title: 'Something went wrong',
    detail: 'The service returned status 502.',
    status: 502,
  });
});

test('a response without a problem has the request ID of its header', async () => {
  const call = answered(503, undefined, { 'x-request-id': 'r-2' });
  expect((await problemOfCall(call)).requestId).toBe('r-2');
});

test('an unreachable service is a problem that keeps its cause', async () => {
  const cause = new TypeError('failed to fetch');
  const thrown = await answerOf(Promise.reject(cause)).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ProblemError);
  expect((thrown as ProblemError).cause).toBe(cause);
  expect(problemOf(thrown).status).toBe(0);
});

test('the error of a field is found by its name', async () => {
  const errors = [{ pointer: '/email', message: 'has no @' }];
  const problem = await problemOfCall(answered(400, { title: 'Invalid input', errors }));
  expect(fieldProblem(problem, 'email')).toBe('has no @');
  expect(fieldProblem(problem, 'password')).toBeUndefined();
});
