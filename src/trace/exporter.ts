import type { Logger } from 'pino';
import { messageOf } from '../domain/errors.ts';
import { encodeSpans } from './otlp.ts';
import { type Attributes, createTracer, type FinishedSpan, type Tracer } from './span.ts';
import type { SpanContext } from './traceparent.ts';

export interface ExporterOptions {
  /** The URL that takes traces. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Describes this process. */
  readonly resource: Attributes;
  readonly sampler: Sampler;
  readonly everyMs?: number;
}

interface Sampler {
  /** The share of new traces to record, from 0 to 1. */
  readonly ratio: number;
  /** Whether a trace that comes from elsewhere is recorded exactly if it is there. */
  readonly followsParent: boolean;
}

/** Spans beyond this number, which wait to be sent, are dropped. */
const maxWaiting = 4_096;
const spansPerRequest = 512;
const defaultEveryMs = 2_000;
const requestTimeoutMs = 10_000;
/** A stop of the process must not wait for a receiver that does not answer. */
const lastRequestMs = 500;
const retryStatuses = new Set([429, 502, 503, 504]);
/** A receiver that is down is logged once in this time. */
const logEveryMs = 60_000;

/** Sends spans to an OpenTelemetry receiver, in batches, and never delays what is traced. */
export function openTracer(options: ExporterOptions, log: Logger): Tracer & AsyncDisposable {
  const { url, headers, resource, sampler } = options;
  let waiting: FinishedSpan[] = [];
  let dropped = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> | undefined;

  async function send(timeoutMs: number): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, spansPerRequest);
      const answer = await post(batch, timeoutMs);
      if (answer === 'again') return;
      waiting = waiting.slice(batch.length);
    }
  }

  /** `again`: the receiver may take the same spans later. */
  async function post(
    spans: readonly FinishedSpan[],
    timeoutMs: number,
  ): Promise<'taken' | 'again'> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: encodeSpans(spans, resource),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer();
      if (response.ok) return 'taken';
      report(`status ${response.status}`);
      return retryStatuses.has(response.status) ? 'again' : 'taken';
    } catch (error) {
      const { cause } = error as Error;
      report(messageOf(cause ?? error));
      return 'again';
    }
  }

  function report(reason: string): void {
    if (performance.now() - loggedAt < logEveryMs) return;
    loggedAt = performance.now();
    log.warn({ reason, dropped }, 'traces could not be sent');
  }

  function flush(timeoutMs = requestTimeoutMs): Promise<void> {
    sending ??= send(timeoutMs).finally(() => {
      sending = undefined;
    });
    return sending;
  }

  const timer = setInterval(flush, options.everyMs ?? defaultEveryMs, requestTimeoutMs);
  timer.unref();
  const tracer = createTracer({
    sample: (traceId, parent) => isSampled(sampler, traceId, parent),
    onEnd(span) {
      if (waiting.length < maxWaiting) waiting.push(span);
      else dropped++;
    },
  });
  return {
    ...tracer,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sending;
      await flush(lastRequestMs);
    },
  };
}

/** By the last digits of the id, so that all processes decide alike. */
function isSampled(
  { ratio, followsParent }: Sampler,
  traceId: string,
  parent: SpanContext | undefined,
): boolean {
  if (parent && followsParent) return parent.isSampled;
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13;
}
