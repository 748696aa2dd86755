import { sql } from 'kysely';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import type { DeliveryState } from '../../domain/webhooks/events.ts';
import { longestDelaySeconds } from '../../domain/webhooks/retries.ts';
import { capTimes } from '../database/cap-times.ts';
import { atomically, type Database } from '../database/connection.ts';
import { pruneInOrder } from '../database/prune-in-order.ts';

/** A delivery that is to be attempted now. */
export interface DueDelivery {
  readonly deliveryId: number;
  readonly webhookId: number;
  readonly partnerId: number;
  readonly url: string;
  readonly messageId: string;
  readonly type: string;
  readonly body: string;
  /** Those before this one. */
  readonly attempts: number;
  /** How many attempts for the webhook have failed in a row. */
  readonly failures: number;
}

export interface DueChoice {
  /** Only webhooks whose last attempt failed, or only others. */
  readonly failing: boolean;
  readonly most: number;
  readonly mostPerWebhook: number;
  /** Webhooks to leave out. */
  readonly busy: readonly number[];
  /** With those in `busyPartners`. */
  readonly mostPerPartner: number;
  /** The partner of each request under way. */
  readonly busyPartners: readonly number[];
  /** If no outcome is recorded by then, the delivery is due again. */
  readonly leaseSeconds: number;
}

export interface Attempt {
  readonly attemptedAt: Date;
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why there was no answer. */
  readonly error: string | null;
  /** The beginning of an answer that is an error. */
  readonly answer: string | null;
}

/** What follows from an attempt that failed. */
export interface FailedAttempt {
  /** Null: it is not attempted again. */
  readonly retrySeconds: number | null;
  /** For how long nothing is sent to the webhook. */
  readonly pauseSeconds: number;
  readonly isGone: boolean;
}

export interface Delivery {
  readonly deliveryId: number;
  readonly messageId: string;
  readonly type: string;
  readonly state: DeliveryState;
  readonly dueAt: Date;
  readonly createdAt: Date;
  /** The latest ones, the oldest first. */
  readonly attempts: readonly Attempt[];
}

const shownAttempts = 20;

const mayBeSent = sql`
  webhook.removed_at is null and webhook.disabled_at is null and partner.disabled_at is null
  and (resume_at is null or resume_at <= now())
`;

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>;

/** Which event goes to which webhook, and how that went. */
export function createWebhookDeliveries(db: Database) {
  return {
    /** Claims due deliveries, of partners with few under way first, then the oldest. Other processes do not get them before the lease ends. */
    async claim(choice: DueChoice): Promise<DueDelivery[]> {
      const { failing, most, mostPerWebhook, busy, leaseSeconds } = choice;
      const { mostPerPartner, busyPartners } = choice;
      const { rows } = await sql<DueDelivery>`
        with first as (
          select delivery_id, partner_id, url, failures, due_at,
            row_number() over (partition by partner_id order by nth, due_at, delivery_id) + (
              select count(*) from unnest(${busyPartners}::bigint[]) as busy where busy = partner_id
            ) as nth_of_partner
          from webhook join partner using (partner_id)
          cross join lateral (
            select delivery_id, due_at, row_number() over (order by due_at) as nth from (
              select delivery_id, due_at from webhook_delivery as delivery
              where delivery.webhook_id = webhook.webhook_id and state = 'pending' and due_at <= now()
              order by due_at
              limit ${mostPerWebhook}
              for update skip locked
            ) as unclaimed
          ) as of_webhook
          where ${mayBeSent} and (failures > 0) = ${failing} and webhook_id <> all(${busy}::bigint[])
        ), due as (
          select * from first where nth_of_partner <= ${mostPerPartner}
          order by nth_of_partner, due_at
          limit ${most}
        ), claimed as (
          update webhook_delivery as delivery
          set due_at = now() + ${leaseSeconds} * interval '1 second'
          from due where delivery.delivery_id = due.delivery_id
          returning delivery.delivery_id, webhook_id, event_id, attempts, due.partner_id, url, failures
        )
        select delivery_id as "deliveryId", webhook_id as "webhookId", claimed.partner_id as "partnerId",
          url, message_id as "messageId", type, body, attempts, failures
        from claimed join webhook_event using (event_id)
        order by delivery_id
      `.execute(db);
      return rows;
    },

    delivered: (deliveryId: number, attempt: Attempt): Promise<void> =>
      atomically(db, async (tx) => {
        await addAttempt(tx, deliveryId, attempt);
        const { rows } = await sql<{ webhookId: number }>`
          update webhook_delivery set state = 'delivered', attempts = attempts + 1
          where delivery_id = ${deliveryId} returning webhook_id as "webhookId"
        `.execute(tx);
        await sql`
          update webhook set failures = 0, failing_since = null, resume_at = null
          where webhook_id = ${rows[0]?.webhookId ?? 0} and failures > 0
        `.execute(tx);
      }),

    /** Returns whether the webhook was disabled because of it. */
    failed: (deliveryId: number, attempt: Attempt, then: FailedAttempt): Promise<boolean> =>
      atomically(db, async (tx) => {
        await addAttempt(tx, deliveryId, attempt);
        const { rows } = await sql<{ webhookId: number }>`
          update webhook_delivery
          set attempts = attempts + 1,
            state = case when state = 'pending' and ${then.retrySeconds === null} then 'failed' else state end,
            due_at = now() + ${then.retrySeconds ?? 0}::double precision * interval '1 second'
          where delivery_id = ${deliveryId} returning webhook_id as "webhookId"
        `.execute(tx);
        if (!rows[0]) return false;
        const isOver = sql`(
          ${then.isGone}
          or coalesce(failing_since < now() - ${limits.webhookFailingDays.most} * interval '1 day', false)
        )`;
        const { rows: changed } = await sql<{ isDisabled: boolean }>`
          update webhook
          set failures = failures + 1, failing_since = coalesce(failing_since, now()),
            resume_at = now() + ${then.pauseSeconds}::double precision * interval '1 second',
            disabled_at = case when ${isOver} then coalesce(disabled_at, now()) else disabled_at end,
            disabled_by = case when ${isOver}
              then coalesce(disabled_by, ${then.isGone ? 'gone' : 'failing'}) else disabled_by end
          where webhook_id = ${rows[0].webhookId}
          returning ${isOver} as "isDisabled"
        `.execute(tx);
        return changed[0]!.isDisabled;
      }),

    /** Newest first. */
    async list(webhookId: number, { after, limit }: Page): Promise<Delivery[]> {
      const { rows } = await sql<DeliveryRow>`
        select delivery_id as "deliveryId", message_id as "messageId", type, state, due_at as "dueAt",
          delivery.created_at as "createdAt", (
            select coalesce(json_agg(attempt order by attempt.id), '[]') from (
              select attempt_id as id, attempted_at as "attemptedAt", status,
                duration_ms as "durationMs", error, answer
              from webhook_attempt where webhook_attempt.delivery_id = delivery.delivery_id
              order by attempt_id desc limit ${shownAttempts}
            ) as attempt
          ) as attempts
        from webhook_delivery as delivery join webhook_event using (event_id)
        where webhook_id = ${webhookId} and delivery_id < ${after ?? Number.MAX_SAFE_INTEGER}
        order by delivery_id desc
        limit ${limit}
      `.execute(db);
      return rows.map(toDelivery);
    },

    /** Sends one event again, and returns whether the webhook had it. */
    async replay(webhookId: number, messageId: string): Promise<boolean> {
      const { numAffectedRows } = await sql`
        with webhook as (${resume(webhookId)})
        update webhook_delivery as delivery set ${again} from webhook_event as event
        where delivery.webhook_id = ${webhookId} and event.event_id = delivery.event_id
          and message_id = ${messageId}
      `.execute(db);
      return numAffectedRows === 1n;
    },

    /** Sends all events since then again, and returns how many. */
    async replaySince(webhookId: number, since: Date): Promise<number> {
      const { numAffectedRows } = await sql`
        with webhook as (${resume(webhookId)})
        update webhook_delivery as delivery set ${again}
        where webhook_id = ${webhookId} and created_at >= ${since}
      `.execute(db);
      return Number(numAffectedRows ?? 0n);
    },

    /** What waits, and what no longer gets anything, for metrics and the doctor. */
    async standing(): Promise<WebhookStanding> {
      const { rows } = await sql<WebhookStanding>`
        select
          (
            select count(*) from webhook_delivery join webhook using (webhook_id)
            where state = 'pending' and removed_at is null
          ) as pending,
          coalesce((
            select extract(epoch from now() - min(due_at))
            from webhook_delivery join webhook using (webhook_id) join partner using (partner_id)
            where state = 'pending' and due_at < now() and ${mayBeSent}
          ), 0)::double precision as "oldestDueSeconds",
          (
            select count(*) from webhook
            where removed_at is null and disabled_by in ('gone', 'failing')
          ) as "givenUp"
      `.execute(db);
      return rows[0]!;
    },

    /** Deletes events and deliveries of more than `days` days ago, and returns how many rows. */
    async prune(days: number): Promise<number> {
      const dueAhead = { due_at: longestDelaySeconds };
      await capTimes(db, 'webhook_delivery', dueAhead, sql`state = 'pending'`);
      await capTimes(db, 'webhook', { resume_at: longestDelaySeconds });
      const since = sql`now() - ${days} * interval '1 day'`;
      const isExpired = sql`true`;
      // Attempts first, so that no statement deletes too many rows by a cascade.
      const attempts = await pruneInOrder(db, 'webhook_attempt', sql`attempt_id`, {
        storedAt: sql`attempted_at`,
        since,
        isExpired,
      });
      const old = { storedAt: sql`created_at`, since, isExpired };
      const deliveries = await pruneInOrder(db, 'webhook_delivery', sql`delivery_id`, old);
      const events = await pruneInOrder(db, 'webhook_event', sql`event_id`, old);
      return attempts + deliveries + events;
    },
  };
}

export interface WebhookStanding {
  readonly pending: number;
  /** How long the oldest delivery has been due, except for webhooks that are disabled or paused. */
  readonly oldestDueSeconds: number;
  /** Webhooks that were disabled because their receiver failed or asked for it. */
  readonly givenUp: number;
}

/** An event that is requested (a test or a replay) is sent now, even if the webhook is paused. */
export function resume(webhookId: number) {
  return sql`update webhook set resume_at = null where webhook_id = ${webhookId}`;
}

const again = sql`state = 'pending', attempts = 0, due_at = now()`;

type DeliveryRow = Omit<Delivery, 'attempts'> & {
  readonly attempts: readonly (Omit<Attempt, 'attemptedAt'> & { readonly attemptedAt: string })[];
};

function toDelivery(row: DeliveryRow): Delivery {
  const attempts = row.attempts.map((attempt) => ({
    ...attempt,
    attemptedAt: new Date(attempt.attemptedAt),
  }));
  return { ...row, attempts };
}

/** Nothing is recorded if the delivery was pruned, or its webhook removed, meanwhile. */
async function addAttempt(tx: Database, deliveryId: number, attempt: Attempt): Promise<void> {
  const { attemptedAt, status, durationMs, error, answer } = attempt;
  await sql`
    insert into webhook_attempt (delivery_id, attempted_at, status, duration_ms, error, answer)
    select delivery_id, ${attemptedAt}::timestamptz, ${status}::integer, ${durationMs}::integer,
      ${error}::text, ${answer}::text
    from webhook_delivery where delivery_id = ${deliveryId} for update
  `.execute(tx);
}
