import type { WebhookEvent } from '../domain/webhooks/events.ts';
import type { Records } from '../records/records.ts';

/** An event of a partner. */
interface PartnerEvent {
  readonly partnerId: number;
  /** The record that the event is about, as the API shows it, in less than 20 kB. */
  data(): object | Promise<object>;
}

/**
 * Adds an event for the partner's webhooks to the outbox, as part of the transaction: it is sent only if the
 * transaction commits. `data` is only read if a webhook subscribes to the type.
 */
export function emitEvent(
  tx: Records,
  partnerId: number,
  type: WebhookEvent,
  data: PartnerEvent['data'],
): Promise<void> {
  return emitEvents(tx, type, [{ partnerId, data }]);
}

/** The same for many events, in a few statements. */
export async function emitEvents(
  tx: Records,
  type: WebhookEvent,
  events: readonly PartnerEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const partnerIds = [...new Set(events.map(({ partnerId }) => partnerId))];
  const wanted = await tx.webhookEvents.wantedBy(partnerIds, type);
  const added = [];
  for (const { partnerId, data } of events) {
    if (wanted.has(partnerId)) added.push({ partnerId, body: eventBody(type, await data()) });
  }
  if (added.length > 0) await tx.webhookEvents.add(type, added);
}

/** The body of a webhook, as Standard Webhooks suggests it. */
export function eventBody(type: string, data: object): string {
  return JSON.stringify({ type, timestamp: new Date().toISOString(), data });
}
