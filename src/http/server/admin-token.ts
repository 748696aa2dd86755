import { createHash, timingSafeEqual } from 'node:crypto';

/** The operator's token, of which only a hash is compared and kept with the operator's sessions. */
export interface AdminToken {
  readonly hash: Buffer;
  isSame(presented: string): boolean;
}

export function createAdminToken(token: string): AdminToken {
  const hash = sha256(token);
  return {
    hash,
    // Hashes have one length whatever was sent, which the constant-time comparison needs.
    isSame: (presented) => timingSafeEqual(sha256(presented), hash),
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
