import { createHmac } from 'node:crypto';

interface Signed {
  /** The same for all attempts. */
  readonly messageId: string;
  readonly attemptedAt: Date;
  readonly body: string;
  /** In the form `whsec_` and Base64. Each one signs. */
  readonly secrets: readonly string[];
}

/** The headers of Standard Webhooks 1.0.0. */
export function signedHeaders({ messageId, attemptedAt, body, secrets }: Signed) {
  const timestamp = Math.floor(attemptedAt.getTime() / 1000);
  const content = `${messageId}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
