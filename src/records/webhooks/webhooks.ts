import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import type { WebhookDisabledBy, WebhookEvent } from '../../domain/webhooks/events.ts';
import { atomically, type Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';
import type { Sealing } from '../database/sealing.ts';

export interface NewWebhook {
  readonly url: string;
  readonly description: string;
  /** Null: all types. */
  readonly events: readonly WebhookEvent[] | null;
}

export interface Webhook extends NewWebhook {
  readonly webhookId: number;
  readonly partnerId: number;
  readonly disabledAt: Date | null;
  readonly disabledBy: WebhookDisabledBy | null;
  /** Since when every attempt has failed. Null if the last one succeeded. */
  readonly failingSince: Date | null;
  /** Until when the secret before the newest one is valid; null if there is none. */
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface OperatedWebhook extends Webhook {
  readonly partnerName: string;
  /** Events that are not delivered yet. */
  readonly pending: number;
}

const secretBytes = 32;

const columns = sql`
  webhook.webhook_id as "webhookId", webhook.partner_id as "partnerId", url, description, events,
  webhook.disabled_at as "disabledAt", disabled_by as "disabledBy", failing_since as "failingSince",
  (
    select max(expires_at) from webhook_secret
    where webhook_secret.webhook_id = webhook.webhook_id and expires_at > now()
  ) as "previousSecretUntil",
  webhook.created_at as "createdAt", webhook.updated_at as "updatedAt"
`;

export type Webhooks = ReturnType<typeof createWebhooks>;

/** The addresses of partners to which events are sent, and the secrets that sign them. */
export function createWebhooks(db: Database, sealing: Sealing) {
  return {
    create: (partnerId: number, { url, description, events }: NewWebhook): Promise<number> =>
      atomically(db, async (tx) => {
        await refuseBeyondLimit(tx, {
          records: 'webhooks',
          most: limits.webhooksPerPartner.most,
          ownerId: partnerId,
          present: sql`webhook where partner_id = ${partnerId} and removed_at is null`,
          advice: 'Remove webhooks that are not used.',
        });
        const { webhook_id: webhookId } = await tx
          .insertInto('webhook')
          .values({ partner_id: partnerId, url, description, events: events && [...events] })
          .returning('webhook_id')
          .executeTakeFirstOrThrow();
        await addSecret(tx, webhookId);
        return webhookId;
      }),

    /** In the order of their ids. */
    async list(partnerId: number): Promise<Webhook[]> {
      const { rows } = await sql<Webhook>`
        select ${columns} from webhook
        where partner_id = ${partnerId} and removed_at is null order by webhook_id
      `.execute(db);
      return rows;
    },

    /** Those of all partners, in the order of their ids. */
    async listAll({ after, limit }: Page): Promise<OperatedWebhook[]> {
      const { rows } = await sql<OperatedWebhook>`
        select ${columns}, partner.name as "partnerName", (
          select count(*) from webhook_delivery as delivery
          where delivery.webhook_id = webhook.webhook_id and state = 'pending'
        ) as pending
        from webhook join partner using (partner_id)
        where webhook_id > ${after ?? 0} and webhook.removed_at is null order by webhook_id limit ${limit}
      `.execute(db);
      return rows;
    },

    /** A partner's webhook, or any. */
    async find(partnerId: number | null, webhookId: number): Promise<Webhook | undefined> {
      const ofPartner = partnerId === null ? sql`true` : sql`partner_id = ${partnerId}`;
      const { rows } = await sql<Webhook>`
        select ${columns} from webhook
        where ${ofPartner} and webhook_id = ${webhookId} and removed_at is null
      `.execute(db);
      return rows[0];
    },

    async change(webhookId: number, { events, ...texts }: Partial<NewWebhook>): Promise<void> {
      await db
        .updateTable('webhook')
        .set({
          ...texts,
          ...(events === undefined ? {} : { events: events && [...events] }),
          updated_at: sql`now()`,
        })
        .where('webhook_id', '=', webhookId)
        .execute();
    },

    /** Nothing is sent until it is enabled. Its events wait. */
    async disable(webhookId: number, by: WebhookDisabledBy): Promise<void> {
      await sql`
        update webhook set disabled_at = now(), disabled_by = ${by}, updated_at = now()
        where webhook_id = ${webhookId}
      `.execute(db);
    },

    async enable(webhookId: number): Promise<void> {
      await sql`
        update webhook set disabled_at = null, disabled_by = null, updated_at = now(),
          failures = 0, failing_since = null, resume_at = null
        where webhook_id = ${webhookId}
      `.execute(db);
    },

    /** Nothing is sent to it any more, and it is not shown. `deleteRemoved` deletes it. */
    async remove(webhookId: number): Promise<void> {
      await sql`update webhook set removed_at = now() where webhook_id = ${webhookId}`.execute(db);
      await sql`delete from webhook_secret where webhook_id = ${webhookId}`.execute(db);
    },

    /** Deletes removed webhooks with their deliveries, in statements of limited size, and returns how many. */
    async deleteRemoved(): Promise<number> {
      const ofRemoved = sql`webhook_id in (select webhook_id from webhook where removed_at is not null)`;
      await deleteInBatches(
        db,
        'webhook_attempt',
        sql`delivery_id in (select delivery_id from webhook_delivery where ${ofRemoved})`,
      );
      await deleteInBatches(db, 'webhook_delivery', ofRemoved);
      return deleteInBatches(db, 'webhook', sql`removed_at is not null`);
    },

    /** Adds a secret. Those before it stay valid for that many hours, or shorter if they end before. */
    rotateSecret: (webhookId: number, overlapHours: number): Promise<void> =>
      atomically(db, async (tx) => {
        // Locked, so that one secret has no end.
        await sql`select from webhook where webhook_id = ${webhookId} for update`.execute(tx);
        await sql`
          update webhook_secret set expires_at =
            least(expires_at, now() + ${overlapHours}::double precision * interval '1 hour')
          where webhook_id = ${webhookId}
        `.execute(tx);
        await addSecret(tx, webhookId);
        await sql`update webhook set updated_at = now() where webhook_id = ${webhookId}`.execute(
          tx,
        );
      }),

    /** The valid secrets of the webhooks, the newest first. */
    async secrets(webhookIds: readonly number[]): Promise<Map<number, string[]>> {
      const { rows } = await sql<{ webhookId: number; secretId: string; sealed: Buffer }>`
        select webhook_id as "webhookId", secret_id as "secretId", sealed_secret as sealed
        from webhook_secret
        where webhook_id = any(${webhookIds}::bigint[]) and (expires_at is null or expires_at > now())
        order by webhook_id, created_at desc
      `.execute(db);
      const secrets = new Map<number, string[]>();
      for (const { webhookId, secretId, sealed } of rows) {
        const opened = sealing.open(sealed, webhookSecretContext(secretId));
        secrets.set(webhookId, [...(secrets.get(webhookId) ?? []), opened]);
      }
      return secrets;
    },

    /** Deletes secrets that are no longer valid, and returns how many. */
    pruneSecrets: (): Promise<number> =>
      deleteInBatches(db, 'webhook_secret', sql`expires_at <= now()`),
  };

  async function addSecret(tx: Database, webhookId: number): Promise<void> {
    const secretId = randomUUID();
    const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
    const sealed_secret = sealing.seal(secret, webhookSecretContext(secretId));
    await tx
      .insertInto('webhook_secret')
      .values({ secret_id: secretId, webhook_id: webhookId, sealed_secret })
      .execute();
  }
}

/** What a secret is bound to when it is encrypted. */
export function webhookSecretContext(secretId: string): string {
  return `webhook secret ${secretId}`;
}
