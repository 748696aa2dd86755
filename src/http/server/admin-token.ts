import { createHash, randomBytes } from 'node:crypto';
import { redactSecrets } from '../../domain/redaction.ts';
import { tokenPrefix } from '../../domain/token-kinds.ts';
import type { Records } from '../../records/records.ts';

/** The operator's token. Only its hash is compared, and stored with the operator's sessions. */
export interface AdminToken {
  /** The hash of the token that this process was configured with. */
  readonly configured: Buffer;
  /** The hash of a token that is valid now; undefined for any other text. */
  check(presented: string): Promise<Buffer | undefined>;
  /** Redacts the configured token and every other secret in the text. */
  redact(text: string): string;
}

export function createAdminToken(token: string, { adminTokens }: Records): AdminToken {
  const configured = hashAdminToken(token);
  return {
    configured,
    // Compared as hashes of random tokens, so the timing reveals nothing about them.
    async check(presented) {
      const hash = hashAdminToken(presented);
      return (await adminTokens.isValid(configured, hash)) ? hash : undefined;
    },
    redact: (text) => redactSecrets(text, [token]),
  };
}

export function mintAdminToken(): string {
  return `${tokenPrefix('admin')}${randomBytes(32).toString('base64url')}`;
}

export function hashAdminToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
