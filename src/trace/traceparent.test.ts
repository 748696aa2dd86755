import { expect, test } from 'vitest';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test('a valid header is read and written', () => {
  for (const isSampled of [true, false]) {
    const context = { traceId, spanId, isSampled };
    expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
  }
  // A later version may add fields.
  expect(parseTraceparent(`01-${traceId}-${spanId}-03-more`)).toMatchObject({ isSampled: true });
});

test.each([
  null,
  undefined,
  '',
  'x',
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
])('an invalid header starts a new trace: %s', (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});
