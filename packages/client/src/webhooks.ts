import { createHmac, timingSafeEqual } from 'node:crypto';

/** An event of the service. `data` is the record as the API returns it. */
export interface WebhookEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

/** The request is not from the service, or too old. Answer it with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

interface WebhookOptions {
  /** How old, or how far in the future, a request may be. 300 by default. */
  readonly toleranceSeconds?: number;
  readonly now?: Date;
}

/**
 * Checks the signature of a webhook (Standard Webhooks 1.0.0) and returns its event. `body` is the body as
 * received, before it is parsed. A request may come twice: remember its `webhook-id`.
 */
export function verifyWebhook(
  secret: string,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  body: string | Uint8Array,
  { toleranceSeconds = 300, now = new Date() }: WebhookOptions = {},
): WebhookEvent {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => requiredHeader(headers, name),
  ) as [string, string, string];
  const age = now.getTime() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > toleranceSeconds) {
    throw new WebhookError('webhook-timestamp is too far from the current time');
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length === 0) throw new Error('the secret of the webhook is empty or not base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  if (!signatures.split(' ').some((signature) => isSignature(signature, expected))) {
    throw new WebhookError('no webhook-signature matches the secret');
  }
  return JSON.parse(Buffer.from(body as Uint8Array).toString()) as WebhookEvent;
}

function requiredHeader(
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  name: string,
): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`${name} is missing`);
  return value;
}

function isSignature(text: string, expected: Buffer): boolean {
  if (!text.startsWith('v1,')) return false;
  const given = Buffer.from(text.slice(3), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
