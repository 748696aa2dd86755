import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signedHeaders } from './sign.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('signs the vector of Standard Webhooks', () => {
  const signed = signedHeaders({
    messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    attemptedAt: new Date(1614265330_000),
    body: '{"test": 2432232314}',
    secrets: [secret],
  });
  expect(signed).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('is accepted by another implementation, with each of the secrets', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = '{"type":"webhook.test"}';
  const attemptedAt = new Date();
  const headers = signedHeaders({
    messageId: 'msg_1',
    attemptedAt,
    body,
    secrets: [secret, other],
  });
  for (const each of [secret, other]) {
    expect(new Webhook(each).verify(body, headers)).toEqual({ type: 'webhook.test' });
  }
  const third = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  expect(() => new Webhook(third).verify(body, headers)).toThrow();
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
});
