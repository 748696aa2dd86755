import type { Attributes, FinishedSpan, SpanKind } from './span.ts';

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, consumer: 5 };
const statusError = 2;

/** The body of a request to `/v1/traces`, in the JSON encoding of OTLP. */
export function encodeSpans(spans: readonly FinishedSpan[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'tributary' }, spans: spans.map(encodeSpan) }],
      },
    ],
  });
}

function encodeSpan(span: FinishedSpan) {
  const { traceId, spanId } = span.context;
  return {
    traceId,
    spanId,
    ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: encodeAttributes(span.attributes),
    status: span.error === null ? {} : { code: statusError, message: span.error },
  };
}

/** As text, because a number cannot hold it exactly. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1e3)) * 1_000n);
}

function encodeAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }));
}

function encodeValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
