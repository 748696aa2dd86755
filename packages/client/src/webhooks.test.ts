import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifyWebhook, WebhookError } from './webhooks.ts';

// The vector of the libraries of Standard Webhooks.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': signature,
};
const at = (seconds: number) => ({ now: new Date(seconds * 1000) });
const then = at(1_614_265_330);

test('a signed request is accepted, as text or bytes, with any kind of headers', () => {
  const event = { test: 2_432_232_314 };
  expect(verifyWebhook(secret, headers, body, then)).toEqual(event);
  expect(verifyWebhook(secret.slice(6), new Headers(headers), Buffer.from(body), then)).toEqual(
    event,
  );
});

test('one of several signatures is enough, while a secret is rotated', () => {
  const several = { ...headers, 'webhook-signature': `v1,AAAA v1a,x ${signature}` };
  expect(verifyWebhook(secret, several, body, then)).toBeDefined();
});

test.each([
  ['another body', headers, `${body} `, then],
  ['another id', { ...headers, 'webhook-id': 'msg_2' }, body, then],
  ['another version', { ...headers, 'webhook-signature': `v2,${signature.slice(3)}` }, body, then],
  ['no signature', { ...headers, 'webhook-signature': '' }, body, then],
  ['no id', { ...headers, 'webhook-id': undefined }, body, then],
  ['an invalid time', { ...headers, 'webhook-timestamp': 'now' }, body, then],
  ['a time too long ago', headers, body, at(1_614_265_330 + 301)],
  ['a time in the future', headers, body, at(1_614_265_330 - 301)],
] as const)('%s is refused', (_, given, text, options) => {
  expect(() => verifyWebhook(secret, given, text, options)).toThrow(WebhookError);
});

interface Vector {
  readonly secret: string;
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
  readonly signature: string;
}

test('signatures of another implementation are accepted', async () => {
  // The tests of the Python client read the same file.
  const file = `${import.meta.dirname}/../../../clients/python/tests/webhook-vectors.json`;
  const vectors: Vector[] = JSON.parse(await readFile(file, 'utf8'));
  expect(vectors.length).toBeGreaterThan(2);
  for (const { secret, id, timestamp, body, signature } of vectors) {
    const { now } = at(timestamp);
    expect(new Webhook(secret).sign(id, now, body)).toBe(signature);
    const sent = {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    };
    expect(verifyWebhook(secret, sent, body, { now })).toEqual(JSON.parse(body));
  }
});

test.each(['', 'whsec_', '????'])('the secret "%s" has no key, so nothing is verified', (empty) => {
  const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']];
  const forged = createHmac('sha256', '').update(`${id}.${timestamp}.${body}`).digest('base64');
  const given = { ...headers, 'webhook-signature': `v1,${forged}` };
  expect(() => verifyWebhook(empty, given, body, then)).toThrow('the secret of the webhook is');
});

test('another secret is refused', () => {
  expect(() => verifyWebhook('whsec_AAAA', headers, body, then)).toThrow(WebhookError);
});
