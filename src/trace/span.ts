import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { messageOf } from '../domain/errors.ts';
import { formatTraceparent, parseTraceparent, type SpanContext } from './traceparent.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = 'internal' | 'server' | 'consumer';

/** A span that has ended, with times in milliseconds since 1970. */
export interface FinishedSpan {
  readonly context: SpanContext;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Why it failed; null if it did not. */
  readonly error: string | null;
}

export interface Span {
  readonly context: SpanContext;
  /** Runs `work` in this span: spans that begin meanwhile are its children. */
  run<T>(work: () => T): T;
  end(outcome?: { name?: string; attributes?: Attributes; error?: string | null }): void;
}

interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** The context of the parent in another process, if there is one. */
  readonly traceparent: string | null | undefined;
  readonly attributes?: Attributes;
}

/** Begins the spans without a parent in this process. */
export interface Tracer {
  begin(start: SpanStart): Span;
}

export interface TracerOptions {
  /** Whether to record a new trace, or one that comes from elsewhere. */
  sample(traceId: string, parent: SpanContext | undefined): boolean;
  /** Gets every recorded span when it has ended. */
  onEnd(span: FinishedSpan): void;
}

/** Everything that the spans of one trace in one process share. */
interface Trace {
  readonly onEnd: (span: FinishedSpan) => void;
  /** What to add to the monotonic clock. */
  readonly epochMs: number;
  /** How many more files get spans of their own. */
  filesLeft: number;
}

interface ActiveSpan extends Span {
  readonly trace: Trace;
}

/** A job with many small files would have more spans than anyone reads. */
const filesPerTrace = 500;

const active = new AsyncLocalStorage<ActiveSpan>();

export function createTracer({ sample, onEnd }: TracerOptions): Tracer {
  return {
    begin({ traceparent, ...start }) {
      const parent = parseTraceparent(traceparent);
      const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
      const trace = { onEnd, epochMs: Date.now() - performance.now(), filesLeft: filesPerTrace };
      const isSampled = sample(traceId, parent);
      return begin(trace, { traceId, isSampled }, parent?.spanId ?? null, start);
    },
  };
}

function begin(
  trace: Trace,
  { traceId, isSampled }: Pick<SpanContext, 'traceId' | 'isSampled'>,
  parentSpanId: string | null,
  start: Omit<SpanStart, 'traceparent'>,
): ActiveSpan {
  const context = { traceId, spanId: randomBytes(8).toString('hex'), isSampled };
  const now = () => trace.epochMs + performance.now();
  const startMs = now();
  const span: ActiveSpan = {
    context,
    trace,
    run: (work) => active.run(span, work),
    end({ name = start.name, attributes, error = null } = {}) {
      if (!isSampled) return;
      trace.onEnd({
        context,
        parentSpanId,
        name,
        kind: start.kind,
        startMs,
        endMs: now(),
        attributes: { ...start.attributes, ...attributes },
        error,
      });
    },
  };
  return span;
}

/** Begins a child of the current span. Undefined if nothing is traced. */
export function beginSpan(name: string, attributes: Attributes = {}): Span | undefined {
  const parent = active.getStore();
  if (!parent) return undefined;
  return begin(parent.trace, parent.context, parent.context.spanId, {
    name,
    kind: 'internal',
    attributes,
  });
}

/** The same for one of many files: undefined also if there were too many. */
export function beginFileSpan(name: string, attributes?: Attributes): Span | undefined {
  const trace = active.getStore()?.trace;
  if (!trace || trace.filesLeft === 0) return undefined;
  trace.filesLeft--;
  return beginSpan(name, attributes);
}

/** Runs `work` in a child of the current span, or just runs it if nothing is traced. */
export function inSpan<T>(
  name: string,
  work: () => Promise<T>,
  attributes?: Attributes,
): Promise<T> {
  return throughSpan(beginSpan(name, attributes), work);
}

/** Runs `work` in the span and ends it, also if it throws. */
export async function throughSpan<T>(
  span: Span | undefined,
  work: () => Promise<T>,
  describe: (result: T) => Attributes = () => ({}),
): Promise<T> {
  if (!span) return work();
  try {
    const result = await span.run(work);
    span.end({ attributes: describe(result) });
    return result;
  } catch (error) {
    span.end({ error: messageOf(error) });
    throw error;
  }
}

/** The ids of the current span, for a log line. Empty outside of a span. */
export function currentSpanIds(): { readonly trace_id?: string; readonly span_id?: string } {
  const context = active.getStore()?.context;
  return context ? { trace_id: context.traceId, span_id: context.spanId } : {};
}

/** The context of the current span, for another process. Null if nothing is traced. */
export function currentTraceparent(): string | null {
  const span = active.getStore();
  return span ? formatTraceparent(span.context) : null;
}
