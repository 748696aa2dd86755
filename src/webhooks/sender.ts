import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { limits } from '../domain/limits.ts';
import { endpointPause, retryDelay } from '../domain/webhooks/retries.ts';
import type { Records } from '../records/records.ts';
import type { DueDelivery } from '../records/webhooks/webhook-deliveries.ts';
import type { Post } from './post.ts';
import { signedHeaders } from './sign.ts';

/** A request that has not ended. */
interface UnderWay {
  readonly webhookId: number;
  readonly partnerId: number;
  /** Whether the attempt before it failed. */
  readonly isFailing: boolean;
  readonly attempt: Promise<void>;
}

type AttemptOutcome = 'delivered' | 'failed';

export interface SenderOptions {
  readonly records: Records;
  readonly post: Post;
  readonly log: Logger;
  /** Named in the header `user-agent`. */
  readonly version: string;
  /** How often to look for events. */
  readonly pollMs?: number;
  /** Called after each attempt, for metrics. */
  onAttempt?(outcome: AttemptOutcome): void;
}

/** How many requests are under way at once. Webhooks whose last attempt failed share half of them. */
const most = { all: 64, failing: 32 };
const mostPerWebhook = { healthy: 4, failing: 1 };
/** So that slow receivers of one partner leave requests for those of others. */
const mostPerPartner = { healthy: 8, failing: 4 };
/** Longer than an attempt takes. If its worker dies, the event is sent again after that. */
const leaseSeconds = 4 * limits.webhookSeconds.most;
const defaultPollMs = 1_000;

/**
 * Sends the events of the outbox until aborted. Each webhook has a few open requests at most, and gets more when
 * these have ended, so a receiver that does not answer does not delay others.
 */
export async function sendWebhooks(options: SenderOptions, signal: AbortSignal): Promise<void> {
  const { records, log, pollMs = defaultPollMs } = options;
  const underWay = new Set<UnderWay>();
  let wake = () => {};

  while (!signal.aborted) {
    const woken = new AbortController();
    wake = () => woken.abort();
    const taken = await takeDue().catch((error) => {
      log.warn({ err: error }, 'webhook deliveries could not be claimed');
      return 0;
    });
    // A webhook with more events than it may have under way is looked at again when these have ended.
    if (taken > 0) continue;
    const either = AbortSignal.any([signal, woken.signal]);
    await sleep(pollMs, undefined, { signal: either }).catch(() => {});
  }
  await Promise.all([...underWay].map(({ attempt }) => attempt));

  async function takeDue(): Promise<number> {
    const room = most.all - underWay.size;
    const healthy = await take(false, room);
    const left = Math.min(room - healthy, most.failing - those(true).length);
    return healthy + (await take(true, left));
  }

  function those(isFailing: boolean): UnderWay[] {
    return [...underWay].filter((each) => each.isFailing === isFailing);
  }

  async function take(isFailing: boolean, room: number): Promise<number> {
    if (room <= 0) return 0;
    const kind = isFailing ? 'failing' : 'healthy';
    const due = await records.webhookDeliveries.claim({
      failing: isFailing,
      most: room,
      mostPerWebhook: mostPerWebhook[kind],
      busy: [...underWay].map(({ webhookId }) => webhookId),
      mostPerPartner: mostPerPartner[kind],
      busyPartners: those(isFailing).map(({ partnerId }) => partnerId),
      leaseSeconds,
    });
    if (due.length === 0) return 0;
    const secrets = await records.webhooks.secrets(due.map(({ webhookId }) => webhookId));
    for (const delivery of due) {
      const signing = secrets.get(delivery.webhookId);
      // A webhook that was removed just now has none.
      if (signing) begin(delivery, signing, isFailing);
    }
    return due.length;
  }

  function begin(delivery: DueDelivery, secrets: readonly string[], isFailing: boolean): void {
    const { webhookId, partnerId } = delivery;
    const attempt = attemptDelivery(options, delivery, secrets, signal)
      .catch((error) => {
        // The lease ends, and the event is sent again.
        if (!signal.aborted)
          log.warn({ err: error, webhook: webhookId }, 'webhook attempt not recorded');
      })
      .finally(() => {
        underWay.delete(one);
        if (![...underWay].some((other) => other.webhookId === webhookId)) wake();
      });
    const one = { webhookId, partnerId, isFailing, attempt };
    underWay.add(one);
  }
}

async function attemptDelivery(
  { records, post, log, version, onAttempt }: SenderOptions,
  delivery: DueDelivery,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { deliveryId, webhookId, partnerId, messageId, body, type } = delivery;
  const attemptedAt = new Date();
  const startedAt = performance.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Tributary/${version}`,
    ...signedHeaders({ messageId, attemptedAt, body, secrets }),
  };
  const result = await post(delivery.url, headers, body, signal);
  const { status, error, answer, retryAfterSeconds } = result;
  const durationMs = Math.round(performance.now() - startedAt);
  const attempt = { attemptedAt, status, durationMs, error, answer };
  const fields = { webhook: webhookId, partner: partnerId, event: messageId, type, status, error };
  if (status !== null && status >= 200 && status < 300) {
    await records.webhookDeliveries.delivered(deliveryId, attempt);
    onAttempt?.('delivered');
    log.debug({ ...fields, ms: durationMs }, 'webhook delivered');
    return;
  }
  const retrySeconds = retryDelay(delivery.attempts + 1, retryAfterSeconds, Math.random());
  const isDisabled = await records.webhookDeliveries.failed(deliveryId, attempt, {
    retrySeconds,
    pauseSeconds: endpointPause(status, delivery.failures + 1, retryAfterSeconds),
    isGone: status === 410,
  });
  onAttempt?.('failed');
  log.info({ ...fields, ms: durationMs, retry_seconds: retrySeconds }, 'webhook attempt failed');
  if (isDisabled) log.warn({ webhook: webhookId, partner: partnerId }, 'webhook disabled');
}
