import { tokenKinds, tokenPrefix } from './token-kinds.ts';

export const redaction = '[redacted]';

const secretNames =
  'password|passwd|secret|client_?secret|secret_?access_?key|access_?token|refresh_?token|code_?verifier|session_?token|(?:x-)?api[_-]?key|user_?token|x-user-token|admin_?token|authorization|cookie';
const secretName = new RegExp(`^(?:${secretNames})$`, 'i');

/** Whether a member with this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Whether a line of JSON may hold a secret: a quick check before the much more expensive redaction. */
export function createSuspicion(secrets: readonly string[]): (line: string) => boolean {
  const suspicious = new RegExp(`trib_|%[0-9a-f]{2}|bearer|://|x-amz-|${secretNames}`, 'i');
  const inLine = secrets.flatMap(spellings).map(inJson);
  return (line) => suspicious.test(line) || inLine.some((spelling) => line.includes(spelling));
}

// Our own tokens, authorization headers, passwords in URLs, AWS signatures. The end of a token may be
// percent-encoded.
const secretShapes = new RegExp(
  [
    `(?:${tokenKinds.map(tokenPrefix).join('|')})(?:[\\w-]|%[0-9a-f]{2})+`,
    `\\bBearer\\s+[^\\s"]+`,
    `(?<=:\\/\\/[^\\s:@/"]*:)[^\\s/"]+(?=@)`,
    `(?<=X-Amz-(?:Signature|Credential|Security-Token)=)[^&\\s"]+`,
  ].join('|'),
  'gi',
);

// Members of JSON inside a string, at any level of escaping. The value ends at the next quote with the
// same level of escaping.
const secretMembers = new RegExp(
  `(?<!\\\\)(\\\\*)"(${secretNames})\\1"(\\s*:\\s*)\\1"(.*?)(?:(?<!\\\\)\\1"|$)`,
  'gis',
);
const secretParameters = new RegExp(`\\b(${secretNames})=[^&\\s"]+`, 'gi');

/** Encodings are undone one by one up to this number, and all others at once. */
const levels = 4;

/**
 * Redacts everything in the text that is, or looks like, a secret, also if it is percent-encoded any
 * number of times. A text with an encoded secret is returned decoded.
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap(spellings);
  let cleaned = redactPlain(text, known);
  let result = cleaned;
  for (let level = 1; level <= levels; level += 1) {
    const decoded = decode(cleaned, level < levels ? encoded : encodedRepeatedly);
    if (decoded === cleaned) break;
    cleaned = redactPlain(decoded, known);
    if (cleaned !== decoded) result = cleaned;
  }
  return result;
}

function redactPlain(text: string, known: readonly string[]): string {
  let cleaned = text;
  for (const spelling of known) cleaned = cleaned.replaceAll(spelling, redaction);
  return cleaned
    .replace(secretShapes, redaction)
    .replace(secretMembers, (_, quote, name, colon) => {
      return `${quote}"${name}${quote}"${colon}${quote}"${redaction}${quote}"`;
    })
    .replace(secretParameters, `$1=${redaction}`);
}

// Secrets are ASCII, so other characters may stay encoded.
const encoded = /%([0-7][0-9a-f])/gi;
const encodedRepeatedly = /%(?:25)*([0-7][0-9a-f])/gi;

function decode(text: string, pattern: RegExp): string {
  return text.replace(pattern, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** A secret in plain text, in JSON, in JSON within JSON, and in a URL. */
function spellings(secret: string): string[] {
  if (secret === '') return [];
  const all = [secret, inJson(secret), inJson(inJson(secret)), encodeURIComponent(secret)];
  return [...new Set(all)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
