import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTracer } from '../../../src/trace/exporter.ts';
import { currentTraceparent, inSpan, throughSpan } from '../../../src/trace/span.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { freshImports, type Imports } from '../../support/imports.ts';
import { startJobWorker } from '../../support/job-worker.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../support/otlp-receiver.ts';

const log = pino({ level: 'silent' });
const always = { ratio: 1, followsParent: true };
const silent = { url: 'http://127.0.0.1:1/v1/traces', headers: {}, resource: {}, sampler: always };

function tracerTo({ url }: OtlpReceiver, everyMs = 5) {
  return openTracer(
    {
      url: `${url}/v1/traces`,
      headers: { 'x-key': 'secret' },
      resource: { 'service.name': 'tributary' },
      sampler: always,
      everyMs,
    },
    log,
  );
}

describe('a queued import', () => {
  let imports: Imports;
  let app: TestApp;
  let receiver: OtlpReceiver;
  let tracer: ReturnType<typeof tracerTo>;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    tracer = tracerTo(receiver);
    imports = await freshImports();
    const database = {
      ...imports.database,
      records: imports.records,
      db: imports.db,
      [Symbol.asyncDispose]: async () => {},
    };
    app = await startTestApp({ database, tracer });
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await imports[Symbol.asyncDispose]();
    await tracer[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  test('is one trace from the request to the commit', async () => {
    const acme = await imports.partner();
    const { apiKey: token } = await imports.records.apiKeys.create(acme.partnerId, '');
    const attributeId = await acme.attribute();
    await acme.put('a.csv', `00000000-0000-4000-8000-000000000001,${attributeId}\n`);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const json = { file_path: 'a.csv', key_type: 0 };
    await using worker = startJobWorker(imports, { tracer });
    const queued = await app.call('POST', '/v1/marketplace/import', { token, json, headers });
    expect(queued.status).toBe(202);
    await expect.poll(() => receiver.spans.map(({ name }) => name)).toContain('job import');

    const spans = receiver.spans.filter((span) => span.traceId === traceId);
    const named = (name: string) => {
      const found = spans.filter((span) => span.name === name);
      expect([name, found.length]).toEqual([name, 1]);
      return found[0]!;
    };
    const post = named('POST /v1/marketplace/import');
    const job = named('job import');
    const scan = named('scan');
    expect(post).toMatchObject({
      parentSpanId: '00f067aa0ba902b7',
      kind: 2,
      status: {},
      attributes: { 'http.response.status_code': 202, 'http.route': '/v1/marketplace/import' },
      resource: { 'service.name': 'tributary' },
    });
    expect(job).toMatchObject({ parentSpanId: post.spanId, kind: 5 });
    expect(job.attributes).toMatchObject({
      'tributary.job.id': queued.body.import_log_id,
      'tributary.job.attempt': 1,
      'tributary.partner.id': acme.partnerId,
    });
    expect(scan).toMatchObject({ parentSpanId: job.spanId, attributes: { 'tributary.rows': 1 } });
    expect(named('read').parentSpanId).toBe(scan.spanId);
    expect(named('stage').parentSpanId).toBe(job.spanId);
    expect(named('commit').parentSpanId).toBe(job.spanId);
    for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
      expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
    }
    const lines = [...app.logged, ...worker.logged].map((line) => JSON.parse(line));
    const idsOf = (msg: string) => {
      const { trace_id, span_id } = lines.findLast((line) => line.msg === msg);
      return [trace_id, span_id];
    };
    expect(idsOf('request')).toEqual([traceId, post.spanId]);
    expect(idsOf('job started')).toEqual([traceId, job.spanId]);
    expect(idsOf('job ended')).toEqual([traceId, job.spanId]);
    const [first] = receiver.requests;
    expect(first?.path).toBe('/v1/traces');
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json', 'x-key': 'secret' });
  });

  test('is not recorded if the client does not record it', async () => {
    const { apiKey: token } = await app.partner('bravo');
    const traceId = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-00` };
    const json = { file_path: 'a.csv', key_type: 0 };
    await app.call('POST', '/v1/marketplace/import', { token, json, headers });
    const { traceparent } = await imports.claim();
    expect(traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    await app.call('GET', '/healthz');
    await expect.poll(() => receiver.spans.map(({ name }) => name)).toContain('GET /healthz');
    expect(receiver.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });
});

test('without a tracer nothing is recorded', async () => {
  expect(await inSpan('work', async () => currentTraceparent())).toBeNull();
});

test('an error ends the span, and is passed on', async () => {
  await using receiver = await startOtlpReceiver();
  {
    await using tracer = tracerTo(receiver, 60_000);
    const span = tracer.begin({ name: 'outer', kind: 'internal', traceparent: 'nonsense' });
    const failing = throughSpan(span, () =>
      inSpan('inner', () => Promise.reject(new Error('disk full'))),
    );
    await expect(failing).rejects.toThrow('disk full');
  }
  const status = { code: 2, message: 'disk full' };
  expect(receiver.spans).toMatchObject([
    { name: 'inner', status },
    { name: 'outer', status },
  ]);
});

test('spans wait for a receiver that is unavailable', async () => {
  await using receiver = await startOtlpReceiver();
  await using tracer = tracerTo(receiver);
  receiver.answer(503);
  tracer.begin({ name: 'early', kind: 'internal', traceparent: null }).end();
  await expect.poll(() => receiver.requests.length).toBeGreaterThan(1);
  receiver.answer(200);
  await expect.poll(() => receiver.spans.map(({ name }) => name)).toEqual(['early']);
});

test('a receiver that refuses connections delays nothing and is logged once', async () => {
  const lines: string[] = [];
  const warnings = pino({ base: null }, { write: (line: string) => lines.push(line) });
  const tracer = openTracer({ ...silent, everyMs: 5 }, warnings);
  tracer.begin({ name: 'lost', kind: 'internal', traceparent: null }).end();
  await expect.poll(() => lines.length).toBe(1);
  expect(lines[0]).toContain('traces could not be sent');
  await tracer[Symbol.asyncDispose]();
  expect(lines).toHaveLength(1);
});

test('a share of the traces is recorded, the same in every process', async () => {
  await using receiver = await startOtlpReceiver();
  const ids = Array.from({ length: 64 }, (_, n) => (n / 64).toString(16).slice(2).padEnd(13, '0'));
  const sampled = async (followsParent: boolean) => {
    await using tracer = openTracer(
      { ...silent, url: receiver.url, sampler: { ratio: 0.25, followsParent } },
      log,
    );
    return ids.filter((id) => {
      const traceparent = `00-${'1'.repeat(19)}${id}-00f067aa0ba902b7-01`;
      return tracer.begin({ name: 'x', kind: 'internal', traceparent }).context.isSampled;
    });
  };
  expect(await sampled(false)).toEqual(ids.slice(0, 16));
  expect(await sampled(true)).toEqual(ids);
});
