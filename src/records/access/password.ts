import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Passwords are stored as argon2id hashes in the PHC string format, which includes the cost
 * parameters. These are OWASP's: 19 MiB, two passes; about 50 ms on a small machine.
 */
const costs = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagLength = 32;
const version = 19;

const argon2id = promisify(argon2);
const shape = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(saltBytes);
  const tag = await derive(password, { ...costs, nonce, tagLength });
  const { memory, passes, parallelism } = costs;
  return `$argon2id$v=${version}$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(tag)}`;
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, storedTag] = shape.exec(hash) ?? [];
  if (salt === undefined || storedTag === undefined)
    throw new Error('invalid password hash: not an argon2id PHC string');
  const tag = Buffer.from(storedTag, 'base64');
  const derived = await derive(password, {
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: tag.length,
  });
  return timingSafeEqual(derived, tag);
}

/** Normalised, because keyboards compose the same letters differently. */
function derive(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  return argon2id('argon2id', { ...parameters, message: password.normalize('NFC') });
}

/** Checked when the user does not exist, so that the answer takes equally long. */
export const dummyHash = `$argon2id$v=${version}$m=${costs.memory},t=${costs.passes},p=${costs.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Without padding, as the PHC format requires. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
