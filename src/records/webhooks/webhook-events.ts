import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { resume } from './webhook-deliveries.ts';

export interface NewEvent {
  readonly partnerId: number;
  readonly type: string;
  /** The JSON text that is sent. */
  readonly body: string;
}

export type WebhookEvents = ReturnType<typeof createWebhookEvents>;

/** The outbox. An event is added in the transaction that makes it true. */
export function createWebhookEvents(db: Database) {
  return {
    /** Those of the partners that have a webhook for the type. */
    async wantedBy(partnerIds: readonly number[], type: string): Promise<Set<number>> {
      const { rows } = await sql<{ partnerId: number }>`
        select distinct partner_id as "partnerId" from webhook
        where partner_id = any(${partnerIds}::bigint[]) and ${wants(type)}
      `.execute(db);
      return new Set(rows.map(({ partnerId }) => partnerId));
    },

    /** Adds events of one type, each for all webhooks of its partner that want it. */
    async add(type: string, events: readonly Omit<NewEvent, 'type'>[]): Promise<void> {
      await sql`
        with event as (
          insert into webhook_event (message_id, partner_id, type, body)
          select message_id, partner_id, ${type}::text, body
          from unnest(
            ${events.map(newMessageId)}::text[], ${events.map(({ partnerId }) => partnerId)}::bigint[],
            ${events.map(({ body }) => body)}::text[]
          ) with ordinality as given (message_id, partner_id, body, position)
          order by position
          returning event_id, partner_id
        )
        insert into webhook_delivery (webhook_id, event_id)
        select webhook_id, event_id from event join webhook using (partner_id)
        where ${wants(type)}
        order by event_id, webhook_id
        -- Otherwise the deletion of a webhook makes this fail, and with it the job that it tells about.
        for key share of webhook
      `.execute(db);
    },

    /** Adds an event for one webhook, whatever types it wants, and returns its id as receivers see it. */
    async addFor(webhookId: number, { partnerId, type, body }: NewEvent): Promise<string> {
      const messageId = newMessageId();
      await sql`
        with webhook as (${resume(webhookId)}), event as (
          insert into webhook_event (message_id, partner_id, type, body)
          values (${messageId}, ${partnerId}, ${type}, ${body})
          returning event_id
        )
        insert into webhook_delivery (webhook_id, event_id)
        select ${webhookId}::bigint, event_id from event
      `.execute(db);
      return messageId;
    },
  };
}

/** A webhook that the service disabled may never be enabled again, so nothing is stored for it. */
function wants(type: string) {
  return sql<boolean>`(
    (webhook.events is null or ${type} = any(webhook.events)) and webhook.removed_at is null
    and (webhook.disabled_by is null or webhook.disabled_by not in ('gone', 'failing'))
  )`;
}

/** No dot, because it is signed with a dot after it. */
function newMessageId(): string {
  return `msg_${randomBytes(16).toString('hex')}`;
}
