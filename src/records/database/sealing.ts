import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Encrypts secrets that must be read again, each bound to the context it belongs to. */
export interface Sealing {
  /** The ids of the keys, the one that encrypts first. Encrypted bytes begin with the id of their key. */
  readonly keyIds: readonly Buffer[];
  readonly keyIdBytes: number;
  seal(secret: string, context: string): Buffer;
  /** Throws if the bytes were changed, the context differs, or the key is unknown. */
  open(sealed: Buffer, context: string): string;
}

const algorithm = 'aes-256-gcm';
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/** The first key encrypts, every key decrypts. To rotate, put a new key before the old one. */
export function createSealing(secretKeys: readonly string[]): Sealing {
  const keys = secretKeys.map((text) => {
    const key = createHash('sha256').update(text).digest();
    // The key's id is a hash of the key, so it reveals nothing of the key.
    return { key, id: createHash('sha256').update(key).digest().subarray(0, keyIdBytes) };
  });
  return {
    keyIds: keys.map(({ id }) => id),
    keyIdBytes,

    seal(secret, context) {
      const [first] = keys;
      if (!first) throw new Error('no secret key to encrypt with');
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
      if (!used) throw new Error('encrypted with a key that is not in TRIBUTARY_SECRET_KEY');
      const decipher = createDecipheriv(algorithm, used.key, sealed.subarray(nonceAt, tagAt))
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(tagAt, textAt));
      return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString();
    },
  };
}
