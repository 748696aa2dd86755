import { expect, test } from 'vitest';
import { conditionOf, deliveryCondition } from './wire.ts';

test('a webhook is enabled, failing or disabled, and says by whom', () => {
  const at = '2026-01-31T12:00:00.000Z';
  const of = (disabled_by: 'gone' | 'operator' | null, failing_since: string | null) =>
    conditionOf({ disabled_by, failing_since });
  expect(of(null, null)).toEqual({ state: 'done', word: 'Enabled' });
  expect(of(null, at)).toEqual({ state: 'failed', word: 'Failing' });
  expect(of('gone', at).word).toBe('Disabled: the receiver answered 410');
  expect(of('operator', null).state).toBe('cancelled');
});

test('a delivery waits, arrived or failed', () => {
  const words = (['pending', 'delivered', 'failed'] as const).map(
    (state) => deliveryCondition({ state }).word,
  );
  expect(words).toEqual(['Waiting', 'Delivered', 'Failed']);
});
