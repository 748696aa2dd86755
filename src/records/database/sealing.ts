import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Keeps secrets that must be read again: encrypted at rest, and bound to what they belong to. */
export interface Sealing {
  seal(secret: string, context: string): Buffer;
  /** Throws if the bytes were changed, belong to another context, or were sealed by an unknown key. */
  open(sealed: Buffer, context: string): string;
}

const algorithm = 'aes-256-gcm';
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/** The first key seals, each opens what it sealed: so a key is rotated by putting another before it. */
export function createSealing(secretKeys: readonly string[]): Sealing {
  const keys = secretKeys.map((text) => {
    const key = createHash('sha256').update(text).digest();
    // Which key sealed something is said by a hash of it, not by anything of the key itself.
    return { key, id: createHash('sha256').update(key).digest().subarray(0, keyIdBytes) };
  });
  return {
    seal(secret, context) {
      const [first] = keys;
      if (!first) throw new Error('there is no key to seal with');
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, first.key, nonce).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([first.id, nonce, cipher.getAuthTag(), text]);
    },

    open(sealed, context) {
      const nonceAt = keyIdBytes;
      const tagAt = nonceAt + nonceBytes;
      const textAt = tagAt + tagBytes;
      const used = keys.find(({ id }) => id.equals(sealed.subarray(0, keyIdBytes)));
      if (!used) throw new Error('sealed by a key that TRIBUTARY_SECRET_KEY does not hold');
      const decipher = createDecipheriv(algorithm, used.key, sealed.subarray(nonceAt, tagAt))
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(tagAt, textAt));
      return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString();
    },
  };
}
