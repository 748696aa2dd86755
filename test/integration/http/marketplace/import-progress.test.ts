import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { freshRecords } from '../../../support/database.ts';
import { dataOf, eventsOf } from '../../../support/events.ts';
import { eventually, expectProblem, sendRaw } from '../../../support/http.ts';
import { startRelay } from '../../../support/relay.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A partner with this number of queued imports. */
async function partnerWithImports(imports: number, app = service) {
  const { partner, apiKey: token } = await app.partner();
  const ids: number[] = [];
  for (let n = 0; n < imports; n++) {
    const request = { filePath: 'x', keyType: 1, pathType: 0 } as const;
    ids.push(await queueImport(app.records, partner.partnerId, request));
  }
  const path = (id: number | undefined) => `/v1/marketplace/import/${id}/progress`;
  return {
    ids,
    token,
    path,
    async claim() {
      for (;;) {
        const claim = (await app.records.jobs.claim(60))!;
        if (claim.partnerId === partner.partnerId) return claim;
      }
    },
    get: async (id: number | undefined) => (await app.call('GET', path(id), { token })).body,
    events: (id: number | undefined, signal?: AbortSignal) =>
      eventsOf(app.url + path(id), { authorization: `Bearer ${token}` }, signal),
  };
}

function progressOf(event: string) {
  return dataOf(event, 'progress');
}

const nothing = { bytes_read: 0, bytes_total: 0, rows_read: 0, rows_per_second: null };

test('a pending job has a queue position and the job it waits for', async () => {
  const { ids, get, claim } = await partnerWithImports(3);
  expect(await get(ids[0])).toEqual({
    ...nothing,
    queue_position: 1,
    waiting_for: null,
    eta_seconds: null,
  });
  await claim();
  expect(await get(ids[0])).toMatchObject({ queue_position: 0, waiting_for: null });
  expect(await get(ids[1])).toMatchObject({ queue_position: 1, waiting_for: ids[0] });
  expect(await get(ids[2])).toEqual({
    ...nothing,
    queue_position: 2,
    waiting_for: ids[1],
    eta_seconds: null,
  });
});

test('a running job reports its progress, and a finished job has nothing left', async () => {
  const { ids, get, claim } = await partnerWithImports(1);
  const held = await claim();
  await sleep(50);
  const noted = { bytesRead: 1_000, bytesTotal: 4_000, rowsRead: 70_000 };
  await service.records.jobProgress.save(held, noted);
  const progress = await get(ids[0]);
  expect(Object.keys(progress)).toEqual([
    'bytes_read',
    'bytes_total',
    'rows_read',
    'rows_per_second',
    'queue_position',
    'waiting_for',
    'eta_seconds',
  ]);
  expect(progress).toMatchObject({ bytes_read: 1_000, bytes_total: 4_000, rows_read: 70_000 });
  expect(progress.rows_per_second).toBeGreaterThan(0);
  expect(progress.rows_per_second).toBeLessThan(70_000 / 0.05);
  expect(progress.eta_seconds).toBeGreaterThan(0);
  await service.records.jobs.settle(held, 'done');
  expect(await get(ids[0])).toMatchObject({ queue_position: null, eta_seconds: 0 });
});

describe('a stream of events', () => {
  test('sends the progress immediately, then every second, and ends with the job', async () => {
    const { ids, claim, events } = await partnerWithImports(2);
    const received: { at: number; queue_position: number | null }[] = [];
    const begun = performance.now();
    for await (const event of events(ids[0])) {
      received.push({ at: performance.now() - begun, ...progressOf(event) });
      if (received.length === 1) await claim();
      if (received.length === 2) {
        const held = {
          partnerId: 0,
          kind: 'import',
          attempt: 1,
          mustBeSmall: false,
          traceparent: null,
        } as const;
        await service.records.jobs.settle({ jobId: ids[0]!, ...held }, 'failed');
      }
    }
    expect(received.map(({ queue_position }) => queue_position)).toEqual([1, 0, null]);
    expect(received[0]!.at).toBeLessThan(900);
    for (const [index, { at }] of received.slice(1).entries()) {
      // Less than a second if this process received the previous event late.
      expect(at - received[index]!.at).toBeGreaterThan(500);
      expect(at - received[index]!.at).toBeLessThan(3_000);
    }
  });

  test('of a finished job is one event', async () => {
    const { ids, claim, events } = await partnerWithImports(1);
    await service.records.jobs.settle(await claim(), 'done');
    const received = await Array.fromAsync(events(ids[0]));
    expect(received.map(progressOf)).toMatchObject([{ queue_position: null, eta_seconds: 0 }]);
  });

  test('stops when its client disconnects', async () => {
    await using app = await startTestApp();
    const { ids, events } = await partnerWithImports(1, app);
    const leaving = new AbortController();
    const reading = Array.fromAsync(events(ids[0], leaving.signal), () => leaving.abort());
    await expect(reading).rejects.toThrow(/abort/i);
    await eventually(() => expect(app.logged.join('')).toContain('"status":499'));
    expect(app.logged.join('')).not.toContain('"level":"error"');
  });

  test('ends with a complete event when the server stops', async () => {
    const app = await startTestApp();
    const { ids, events } = await partnerWithImports(1, app);
    const first = Promise.withResolvers<string>();
    const reading = Array.fromAsync(events(ids[0]), first.resolve);
    await first.promise;
    const begun = performance.now();
    await app[Symbol.asyncDispose]();
    await reading;
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  test('stays open with heartbeats while the database is unavailable', async () => {
    await using database = await freshRecords();
    await using relay = await startRelay(database.url);
    await using app = await startTestApp({ database, databaseUrl: relay.url });
    const { ids, events } = await partnerWithImports(1, app);
    const received: string[] = [];
    for await (const event of events(ids[0])) {
      received.push(event);
      if (received.length === 1) await relay.cut();
      if (event.startsWith(':')) await relay.mend();
      if (received.length > 1 && event.startsWith('event')) break;
    }
    expect(received.slice(1, -1)).not.toEqual([]);
    for (const event of received.slice(1, -1)) expect(event).toMatch(/^:/);
    expect(progressOf(received.at(-1)!)).toMatchObject({ queue_position: 1 });
  });

  test('is rejected for a partner with fifty open streams, until it closes one', async () => {
    await using app = await startTestApp();
    const { ids, events, path, token } = await partnerWithImports(1, app);
    const streams = Array.from({ length: 50 }, () => {
      const leaving = new AbortController();
      return { leaving, stream: events(ids[0], leaving.signal) };
    });
    await Promise.all(streams.map(({ stream }) => stream.next()));
    const accept = { token, headers: { accept: 'text/event-stream' } };
    const refused = await app.call('GET', path(ids[0]), accept);
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await app.call('GET', path(ids[0]), { token })).status).toBe(200);
    const other = await partnerWithImports(1, app);
    expect((await other.events(other.ids[0]).next()).done).toBe(false);
    for (const { leaving } of streams.slice(0, 2)) leaving.abort();
    await eventually(async () => {
      const leaving = new AbortController();
      const { value } = await events(ids[0], leaving.signal).next();
      leaving.abort();
      expect(value).toContain('progress');
    });
    for (const { leaving } of streams) leaving.abort();
  });

  test('responds to HEAD immediately without a body', async () => {
    const { ids, path, token } = await partnerWithImports(1);
    const answer = await sendRaw(
      service.url,
      `HEAD ${path(ids[0])} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\nconnection: close\r\n\r\n`,
    );
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
  });
});
