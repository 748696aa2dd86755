/** Omits l, o, 0 and 1, which people confuse. 32 characters, so five random bits choose one. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const groups = 4;
const groupLength = 5;

/** A password of 100 random bits, in groups that are easy to read aloud. */
export function generatePassword(): string {
  const random = crypto.getRandomValues(new Uint8Array(groups * groupLength));
  const characters = Array.from(random, (byte) => alphabet[byte % alphabet.length]).join('');
  const parts = Array.from({ length: groups }, (_, index) =>
    characters.slice(index * groupLength, (index + 1) * groupLength),
  );
  return parts.join('-');
}
