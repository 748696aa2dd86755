import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { type Problem, problemKinds } from '../../src/http/server/problems.ts';
import type { Answer } from './app.ts';

/** Checks that a response is a complete problem, and returns it for further checks. */
export function expectProblem(answer: Answer, status: number, code: ErrorCode): Problem {
  expect(`${answer.status} ${answer.body?.code}`).toBe(`${status} ${code}`);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const requestId = answer.headers.get('x-request-id');
  expect(requestId).toMatch(/^[\w.-]{1,128}$/);
  const { errors, ...members } = answer.body;
  expect(members).toEqual({
    type: `/docs#problem-${code}`,
    title: problemKinds[code].title,
    status: problemKinds[code].status,
    detail: expect.stringMatching(/./),
    code,
    request_id: requestId,
  });
  expect(answer.text).not.toMatch(/node_modules|\bat .*\.(ts|js):\d/);
  if (code === 'invalid_input') expect(errors.length).toBeGreaterThan(0);
  else expect(errors).toBeUndefined();
  for (const issue of errors ?? []) {
    expect(issue).toEqual({ pointer: expect.any(String), message: expect.stringMatching(/./) });
  }
  return answer.body;
}

/** The fields that a problem reports. */
export function pointersOf(problem: Problem): string[] {
  return (problem.errors ?? []).map((issue) => issue.pointer).sort();
}

/** Sends raw bytes and reads one response, without the checks of a client. */
export async function sendRaw(url: string, ...parts: (string | Uint8Array)[]): Promise<Answer> {
  const socket = await openSocket(url);
  try {
    for (const part of parts) socket.write(part);
    return await readAnswer(socket);
  } finally {
    socket.destroy();
  }
}

export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // Errors after this show in the bytes that are read.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

export async function readAnswer(socket: Socket): Promise<Answer> {
  let received = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, chunk]);
    const answer = parseAnswer(received);
    if (answer) return answer;
  }
  throw new Error(`the connection ended after ${JSON.stringify(received.toString())}`);
}

function parseAnswer(bytes: Buffer): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const sent = bytes.subarray(end + 4);
  const isChunked = headers.get('transfer-encoding') === 'chunked';
  const body = isChunked ? joinChunks(sent) : sent;
  if (!body || body.length < Number(headers.get('content-length'))) return undefined;
  const text = body.toString();
  const isJson = /json/.test(headers.get('content-type') ?? '') && text !== '';
  const status = Number(statusLine.split(' ')[1]);
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** The content of a chunked body, or undefined until its last chunk has arrived. */
function joinChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const start = lineEnd + 2;
    const end = start + Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (end === start) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(start, end));
    at = end + 2;
    if (bytes.length < at) return undefined;
  }
}

/** Waits for something that happens shortly after a response. */
export async function eventually<T>(look: () => Promise<T> | T): Promise<T> {
  for (const deadline = Date.now() + 5_000; ; await sleep(10)) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
