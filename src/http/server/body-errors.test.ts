import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerUnparsableRequest } from './body-errors.ts';

let code: string;
const server = createServer((socket) => {
  socket.on('error', () => {});
  answerUnparsableRequest(Object.assign(new Error('parse error'), { code }), socket);
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
});

async function answerTo(fault: string): Promise<string> {
  code = fault;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

test.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'HTTP/1.1 408 Request timeout', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'HTTP/1.1 431 Headers too large', 'headers_too_large'],
  ['HPE_INVALID_METHOD', 'HTTP/1.1 400 Malformed request', 'malformed_body'],
])('%s gets the response %s', async (fault, statusLine, problem) => {
  const answer = await answerTo(fault);
  expect(answer.startsWith(`${statusLine}\r\n`)).toBe(true);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
  const { code: problemCode, request_id } = JSON.parse(body);
  expect(problemCode).toBe(problem);
  expect(head).toContain(`x-request-id: ${request_id}`);
});

test('a reset connection gets no response', async () => {
  expect(await answerTo('ECONNRESET')).toBe('');
});
