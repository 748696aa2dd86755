import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type TokenKind, tokenPrefix } from '../../domain/token-kinds.ts';

/** The stored part of a token: its lookup id, and the hash of its secret. */
export interface StoredToken {
  readonly lookup: string;
  readonly secretHash: Buffer;
}

/** Tokens of one kind: `trib_<kind>_<lookup>_<secret>`. Only a hash of the secret is stored. */
export function createSecretTokens(kind: TokenKind) {
  const prefix = tokenPrefix(kind);
  const shape = new RegExp(`^${prefix}([0-9a-f]{16})_([A-Za-z0-9_-]{43})$`);
  return {
    /** Returns the token, which is shown only this once. */
    mint(): StoredToken & { readonly token: string } {
      const lookup = randomBytes(8).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      return { token: `${prefix}${lookup}_${secret}`, lookup, secretHash: hash(secret) };
    },

    /** Undefined if the text is not a token of this kind. */
    read(presented: string): StoredToken | undefined {
      const [, lookup, secret] = shape.exec(presented) ?? [];
      if (lookup === undefined || secret === undefined) return undefined;
      return { lookup, secretHash: hash(secret) };
    },
  };
}

/** In constant time, so that the timing does not reveal how much of a secret is right. */
export function isSameHash(one: Buffer, other: Buffer): boolean {
  return timingSafeEqual(one, other);
}

/** The secret has 256 random bits, so a plain hash cannot be reversed by guessing. */
function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
