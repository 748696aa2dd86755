import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { testEvent, webhookEvents, webhookEventTypes } from '../../domain/webhooks/events.ts';
import type { Delivery } from '../../records/webhooks/webhook-deliveries.ts';
import type { Webhook } from '../../records/webhooks/webhooks.ts';
import { Id, Nullable, noControlCharacters, PathId, Timestamp } from '../server/wire.ts';

/** Webhooks in requests and responses. */

const typeList = Object.entries(webhookEvents)
  .map(([type, meaning]) => `\`${type}\`: ${meaning}`)
  .join(' ');

export const Events = Nullable(
  Type.Array(Type.Enum([...webhookEventTypes]), { minItems: 1, uniqueItems: true }),
  {
    description: `The types of events to send. Null: all, including types that are added later. ${typeList}`,
    examples: [['import.finished', 'import.failed']],
  },
);

export const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  pattern: noControlCharacters,
  description:
    'Where events are sent. It must begin with `https://` and be reachable from the public internet, unless the operator allows other addresses.',
  examples: ['https://acme.example/tributary'],
});

export const Description = Type.String({
  maxLength: limits.nameCharacters.most,
  pattern: noControlCharacters,
  description: 'A note for yourself.',
  examples: ['production'],
});

const webhookMembers = {
  webhook_id: Id('Assigned by the service.'),
  url: Type.String({ examples: ['https://acme.example/tributary'] }),
  description: Type.String({ examples: ['production'] }),
  events: Nullable(Type.Array(Type.String()), {
    description: 'The types of events that are sent. Null: all.',
    examples: [null],
  }),
  disabled_at: Nullable(Timestamp, {
    description:
      'Null if events are sent. While you or the operator have disabled it, its events wait.',
    examples: [null],
  }),
  disabled_by: Nullable(Type.Enum(['partner', 'operator', 'gone', 'failing']), {
    description: `Who disabled it: you, the operator, or the service, because the receiver answered 410 (\`gone\`) or failed for ${limits.webhookFailingDays.most} days (\`failing\`).`,
    examples: [null],
  }),
  failing_since: Nullable(Timestamp, {
    description: 'Since when every attempt has failed. Null if the last one succeeded.',
    examples: [null],
  }),
  previous_secret_until: Nullable(Timestamp, {
    description: 'Until when events are also signed with the previous secret. Null: they are not.',
    examples: [null],
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WebhookSchema = Type.Object(webhookMembers);

export const Secret = Type.String({
  description:
    'Verifies signatures. It is returned only in this response; the service stores it encrypted.',
  examples: ['whsec_…'],
});

export const NewWebhookSchema = Type.Object(
  { ...webhookMembers, secret: Secret },
  {
    description: 'Created.',
    headers: { Location: { type: 'string', description: 'The path of the webhook.' } },
  },
);

export const WebhookPath = Type.Object({ webhook_id: PathId('The id of the webhook.') });

export const DeliverySchema = Type.Object({
  delivery_id: Id('Assigned by the service.'),
  event_id: Type.String({
    description: 'The header `webhook-id` of all attempts.',
    examples: ['msg_0123456789abcdef0123456789abcdef'],
  }),
  type: Type.String({
    description: `The type of the event, or \`${testEvent}\`.`,
    examples: ['import.finished'],
  }),
  state: Type.Enum(['pending', 'delivered', 'failed'], {
    description: `\`failed\`: ${limits.webhookAttempts.most} attempts failed, and there will be no more.`,
    examples: ['delivered'],
  }),
  created_at: Timestamp,
  next_attempt_at: Nullable(Timestamp, {
    description: 'The earliest time of the next attempt. Null if there will be no more attempts.',
    examples: [null],
  }),
  attempts: Type.Array(
    Type.Object({
      attempted_at: Timestamp,
      status: Nullable(Type.Integer(), {
        description: "The status of the receiver's answer. Null if there was none.",
        examples: [204],
      }),
      duration_ms: Type.Integer({ examples: [120] }),
      error: Nullable(Type.String(), {
        description: 'Why there was no answer.',
        examples: [null],
      }),
      response: Nullable(Type.String(), {
        description: 'The first kilobyte of the response, if it is an error and a text.',
        examples: [null],
      }),
    }),
    { description: 'The last 20 attempts, the oldest first.' },
  ),
});

export function webhookOnTheWire(webhook: Webhook) {
  return {
    webhook_id: webhook.webhookId,
    url: webhook.url,
    description: webhook.description,
    events: webhook.events && [...webhook.events],
    disabled_at: webhook.disabledAt?.toISOString() ?? null,
    disabled_by: webhook.disabledBy,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    previous_secret_until: webhook.previousSecretUntil?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

export function deliveryOnTheWire(delivery: Delivery) {
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.messageId,
    type: delivery.type,
    state: delivery.state,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.state === 'pending' ? delivery.dueAt.toISOString() : null,
    attempts: delivery.attempts.map((attempt) => ({
      attempted_at: attempt.attemptedAt.toISOString(),
      status: attempt.status,
      duration_ms: attempt.durationMs,
      error: attempt.error,
      response: attempt.answer,
    })),
  };
}

/** The query of an address may hold a secret of the partner. */
export function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, '?…');
}

/** What the audit log shows of a webhook. */
export function auditedWebhook({ webhookId, url, description, events, disabledBy }: Webhook) {
  const disabled_by = disabledBy;
  return { webhook_id: webhookId, url: withoutQuery(url), description, events, disabled_by };
}
