import type { Answered } from '../../api/wire.ts';
import type { State } from '../../parts/state-badge.tsx';

export type WebhookWire = Answered<'/v1/webhooks/{webhook_id}'>;
export type DeliveryWire = Answered<'/v1/webhooks/{webhook_id}/deliveries'>[number];
export type OperatedWebhook = Answered<'/admin/v1/webhooks'>[number];

const disabledWords = {
  partner: 'Disabled',
  operator: 'Disabled by the operator',
  gone: 'Disabled: the receiver answered 410',
  failing: 'Disabled: the receiver failed for days',
};

/** How a webhook is doing. */
export function conditionOf({
  disabled_by,
  failing_since,
}: Pick<WebhookWire, 'disabled_by' | 'failing_since'>): { state: State; word: string } {
  if (disabled_by !== null) return { state: 'cancelled', word: disabledWords[disabled_by] };
  if (failing_since !== null) return { state: 'failed', word: 'Failing' };
  return { state: 'done', word: 'Enabled' };
}

export function deliveryCondition({ state }: Pick<DeliveryWire, 'state'>): {
  state: State;
  word: string;
} {
  if (state === 'delivered') return { state: 'done', word: 'Delivered' };
  return state === 'failed'
    ? { state: 'failed', word: 'Failed' }
    : { state: 'pending', word: 'Waiting' };
}
