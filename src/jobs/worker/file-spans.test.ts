import { expect, test } from 'vitest';
import type { FileReading, FileReceiver, OpenedFile } from '../../intake/intake.ts';
import { createTracer, type FinishedSpan, throughSpan } from '../../trace/span.ts';
import { traceFile } from './file-spans.ts';

const reading: FileReading = {
  outcome: 'read',
  totalRows: 3,
  rejectedRows: 1,
  validRows: 2,
  problems: [],
  bytesRead: 5,
  sums: { lines: 3, rows: 2, rejectedRows: 1, problems: [], failure: null },
};

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(2);
  yield new Uint8Array(3);
}

function open(source: AsyncIterable<Uint8Array>): OpenedFile {
  const read = (async () => {
    for await (const _ of source);
    return reading;
  })();
  return { read: () => read, async [Symbol.asyncDispose]() {} };
}

const receiver: FileReceiver = { async onBatch() {} };

function readTraced(): Promise<FileReading> {
  return traceFile('a.csv', bytes(), open).read(receiver);
}

test('a file has a span for its rows, and one for its bytes in it', async () => {
  const spans: FinishedSpan[] = [];
  const tracer = createTracer({ sample: () => true, onEnd: (span) => spans.push(span) });
  const job = tracer.begin({ name: 'job', kind: 'consumer', traceparent: null });
  await throughSpan(job, readTraced);
  const [read, scanned, root] = spans as [FinishedSpan, FinishedSpan, FinishedSpan];
  expect([read.name, scanned.name, root.name]).toEqual(['read', 'scan', 'job']);
  expect(read.parentSpanId).toBe(scanned.context.spanId);
  expect(scanned.parentSpanId).toBe(root.context.spanId);
  expect(read.attributes).toEqual({ 'tributary.bytes': 5 });
  expect(scanned.attributes).toMatchObject({ 'tributary.file': 'a.csv', 'tributary.rows': 3 });
});

test('of many files only the first 500 have spans', async () => {
  const spans: FinishedSpan[] = [];
  const tracer = createTracer({ sample: () => true, onEnd: (span) => spans.push(span) });
  const job = tracer.begin({ name: 'job', kind: 'consumer', traceparent: null });
  await throughSpan(job, async () => {
    for (let n = 0; n < 510; n++) expect(await readTraced()).toBe(reading);
  });
  expect(spans.filter(({ name }) => name === 'scan')).toHaveLength(500);
});

test('without a trace a file is just read', async () => {
  expect(await readTraced()).toBe(reading);
});
