import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What is kept of a token: how to find it, and how to recognize it. */
export interface KeptToken {
  readonly lookup: string;
  readonly secretHash: Buffer;
}

/** Tokens of one kind: `<prefix>_<lookup>_<secret>`, of which only a hash of the secret is kept. */
export function createSecretTokens(prefix: string) {
  const shape = new RegExp(`^${prefix}_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$`);
  return {
    /** The token itself is in this answer and nowhere else, ever. */
    mint(): KeptToken & { readonly token: string } {
      const lookup = randomBytes(8).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      return { token: `${prefix}_${lookup}_${secret}`, lookup, secretHash: hash(secret) };
    },

    /** What to look a token up by, and how to compare it; undefined if it is none of this kind. */
    read(presented: string): KeptToken | undefined {
      const [, lookup, secret] = shape.exec(presented) ?? [];
      if (lookup === undefined || secret === undefined) return undefined;
      return { lookup, secretHash: hash(secret) };
    },
  };
}

/** In constant time, so that a wrong secret does not tell how wrong it is. */
export function isSameHash(one: Buffer, other: Buffer): boolean {
  return timingSafeEqual(one, other);
}

/** The secret has 256 random bits, so a plain hash of it cannot be searched. */
function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
