/** Identifies a span across processes (W3C Trace Context). */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the spans of the trace are recorded. */
  readonly isSampled: boolean;
}

const format =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads the header `traceparent`. Undefined if it is missing or invalid, which starts a new trace. */
export function parseTraceparent(text: string | null | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags, rest] = format.exec(text ?? '') ?? [];
  if (!traceId || !spanId || !flags || (version === '00' && rest)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`;
}
