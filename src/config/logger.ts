import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import type { LogFormat, LogLevel } from './parsers.ts';
import { prettyLine } from './pretty-line.ts';

export interface LoggerOptions {
  readonly level: LogLevel;
  /** JSON by default. */
  readonly format?: LogFormat;
  readonly role: string;
  /** Secrets without a recognisable form, such as a token chosen by the operator. */
  readonly secrets: readonly string[];
  /** Receives the lines instead of standard error. */
  readonly write?: (line: string) => void;
}

type LogConfig = Pick<Config, 'logLevel' | 'logFormat' | 'unknownSettings'>;

/** Structured logs. Secrets are removed from the finished line, so every caller is covered. */
export function createLogger(options: LoggerOptions): Logger {
  const write = options.write ?? standardError();
  const mayHoldSecret = suspicion(options.secrets);

  // Parsed again, because JSON's escapes may split a secret in the line.
  function redacted(line: string): string {
    if (!mayHoldSecret(line)) return line;
    return `${JSON.stringify(redactMembers(JSON.parse(line), options.secrets))}\n`;
  }

  return pino(
    {
      level: options.level,
      base: { role: options.role },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error) => describeError(error, maximumCauses) },
    },
    {
      write: (line: string) =>
        write(options.format === 'pretty' ? prettyLine(redacted(line)) : redacted(line)),
    },
  );
}

/** The logger of a process of the service. */
export function createProcessLogger(config: LogConfig, role: string, adminToken: string): Logger {
  const { logLevel: level, logFormat } = config;
  return createLogger({ level, format: chooseLogFormat(logFormat), role, secrets: [adminToken] });
}

export function warnOfUnknownSettings({ unknownSettings }: LogConfig, log: Logger): void {
  for (const setting of unknownSettings) log.warn({ setting }, 'unknown setting ignored');
}

/** The log format to use: the setting, or text on a terminal and JSON elsewhere. */
export function chooseLogFormat(setting: LogFormat | null): LogFormat {
  return setting ?? (process.stderr.isTTY ? 'pretty' : 'json');
}

const maximumBufferedBytes = 8 * 1024 * 1024;

/**
 * Neither blocks nor throws, so a reader that is slow or gone cannot stop the service. Lines beyond
 * the buffer limit are dropped.
 */
function standardError(): (line: string) => void {
  process.stderr.on('error', () => {});
  return (line) => {
    if (process.stderr.writableLength < maximumBufferedBytes) process.stderr.write(line);
  };
}

const maximumCauses = 5;

/** Only the members that explain an error: database errors also carry whole rows. */
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

const redaction = '[redacted]';

const secretNames =
  'password|passwd|secret|client_?secret|secret_?access_?key|access_?token|refresh_?token|code_?verifier|session_?token|api_?key|user_?token|x-user-token|admin_?token|authorization|cookie';
const secretName = new RegExp(`^(?:${secretNames})$`, 'i');

/** Whether a line may hold a secret: a quick check before the much more expensive redaction. */
function suspicion(secrets: readonly string[]): (line: string) => boolean {
  const suspicious = new RegExp(`trib_|bearer|://|x-amz-|${secretNames}`, 'i');
  const inLine = secrets.flatMap(spellings).map(inJson);
  return (line) => suspicious.test(line) || inLine.some((spelling) => line.includes(spelling));
}

function redactMembers(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((item) => redactMembers(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redactSecrets(name, secrets),
      secretName.test(name) ? redaction : redactMembers(member, secrets),
    ]),
  );
}

// Our own keys and tokens, authorization headers, passwords in URLs, AWS signatures.
const secretShapes =
  /trib_(?:key|admin|client)_[\w-]+|\bBearer\s+[^\s"]+|(?<=:\/\/[^\s:@/"]*:)[^\s/"]+(?=@)|(?<=X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"]+/gi;

// Members of JSON inside a string, at any level of escaping. The value ends at the next quote with the
// same level of escaping.
const secretMembers = new RegExp(
  `(?<!\\\\)(\\\\*)"(${secretNames})\\1"(\\s*:\\s*)\\1"(.*?)(?:(?<!\\\\)\\1"|$)`,
  'gis',
);
const secretParameters = new RegExp(`\\b(${secretNames})=[^&\\s"]+`, 'gi');

/** Redacts everything in the text that is, or looks like, a secret. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let cleaned = text;
  for (const spelling of secrets.flatMap(spellings))
    cleaned = cleaned.replaceAll(spelling, redaction);
  return cleaned
    .replace(secretShapes, redaction)
    .replace(secretMembers, (_, quote, name, colon) => {
      return `${quote}"${name}${quote}"${colon}${quote}"${redaction}${quote}"`;
    })
    .replace(secretParameters, `$1=${redaction}`);
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
