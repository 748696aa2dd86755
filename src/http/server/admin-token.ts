import { createHash, timingSafeEqual } from 'node:crypto';
import { redactSecrets } from '../../domain/redaction.ts';

/** The operator's token. Only its hash is compared, and stored with the operator's sessions. */
export interface AdminToken {
  readonly hash: Buffer;
  isSame(presented: string): boolean;
  /** Redacts this token and every other secret in the text. */
  redact(text: string): string;
}

export function createAdminToken(token: string): AdminToken {
  const hash = sha256(token);
  return {
    hash,
    // The constant-time comparison needs equal lengths, which hashes have.
    isSame: (presented) => timingSafeEqual(sha256(presented), hash),
    redact: (text) => redactSecrets(text, [token]),
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
