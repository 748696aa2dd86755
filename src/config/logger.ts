import { type Logger, pino } from 'pino';
import type { LogLevel } from './settings.ts';

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly role: string;
  /** Secrets that do not have our own recognisable form, such as a token the operator chose. */
  readonly secrets: readonly string[];
  /** Where lines go; standard error unless told. */
  readonly write?: (line: string) => void;
}

/** Structured logs. Whatever is logged by whomever, secrets are cut out of the finished line. */
export function createLogger(options: LoggerOptions): Logger {
  const write = options.write ?? standardError();
  const mayHoldSecret = suspicion(options.secrets);
  return pino(
    {
      level: options.level,
      base: { role: options.role },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error) => describeError(error, keptCauses) },
    },
    {
      // Taken apart once more, for in the line itself a secret may be torn by JSON's escapes.
      write: (line: string) =>
        write(
          mayHoldSecret(line)
            ? `${JSON.stringify(memberwise(JSON.parse(line), options.secrets))}\n`
            : line,
        ),
    },
  );
}

const waitingBytes = 8 * 1024 * 1024;

/**
 * Neither blocks nor throws, so that nobody can stop the service by not reading its log, or by
 * going away: what piles up beyond a few megabytes is dropped.
 */
function standardError(): (line: string) => void {
  process.stderr.on('error', () => {});
  return (line) => {
    if (process.stderr.writableLength < waitingBytes) process.stderr.write(line);
  };
}

const keptCauses = 5;

/** Only what explains an error: a database's own errors carry whole rows besides. */
function describeError(error: unknown, causes: number): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    type: error.name,
    message: error.message,
    code: 'code' in error ? error.code : undefined,
    stack: error.stack,
    cause:
      error.cause === undefined || causes === 0
        ? undefined
        : describeError(error.cause, causes - 1),
  };
}

const cut = '[redacted]';

const secretNames =
  'password|passwd|secret|client_?secret|secret_?access_?key|access_?token|refresh_?token|code_?verifier|session_?token|api_?key|user_?token|x-user-token|admin_?token|authorization|cookie';
const secretName = new RegExp(`^(?:${secretNames})$`, 'i');

/** Whether a line is worth the closer look, which costs many times this one. */
function suspicion(secrets: readonly string[]): (line: string) => boolean {
  const suspicious = new RegExp(`trib_|bearer|://|x-amz-|${secretNames}`, 'i');
  const asInALine = secrets.flatMap(spellings).map(inJson);
  return (line) => suspicious.test(line) || asInALine.some((spelling) => line.includes(spelling));
}

function memberwise(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return withoutSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((item) => memberwise(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      withoutSecrets(name, secrets),
      secretName.test(name) ? cut : memberwise(member, secrets),
    ]),
  );
}

// Keys and tokens of ours, authorization headers, passwords in addresses, AWS signatures.
const secretShapes =
  /trib_(?:key|admin|client)_[\w-]+|\bBearer\s+[^\s"]+|(?<=:\/\/[^\s:@/"]*:)[^\s/"]+(?=@)|(?<=X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"]+/gi;

// In JSON within a string, however often escaped: up to the quote escaped like the first one.
const secretMembers = new RegExp(
  `(?<!\\\\)(\\\\*)"(${secretNames})\\1"(\\s*:\\s*)\\1"(.*?)(?:(?<!\\\\)\\1"|$)`,
  'gis',
);
const secretParameters = new RegExp(`\\b(${secretNames})=[^&\\s"]+`, 'gi');

/** The text without anything that is, or looks like, a secret. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let cleaned = text;
  for (const spelling of secrets.flatMap(spellings)) cleaned = cleaned.replaceAll(spelling, cut);
  return cleaned
    .replace(secretShapes, cut)
    .replace(secretMembers, (_, quote, name, colon) => {
      return `${quote}"${name}${quote}"${colon}${quote}"${cut}${quote}"`;
    })
    .replace(secretParameters, `$1=${cut}`);
}

/** A secret as it is, in JSON, in JSON within JSON, and in an address. */
function spellings(secret: string): string[] {
  if (secret === '') return [];
  const all = [secret, inJson(secret), inJson(inJson(secret)), encodeURIComponent(secret)];
  return [...new Set(all)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
