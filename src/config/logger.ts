import { type Logger, pino } from 'pino';
import { createSuspicion, isSecretName, redaction, redactSecrets } from '../domain/redaction.ts';
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
  /** Returns more fields for a line that is being written. */
  readonly fields?: (() => object) | undefined;
  /** Receives the lines instead of standard error. */
  readonly write?: (line: string) => void;
}

type LogConfig = Pick<Config, 'logLevel' | 'logFormat' | 'drop'>;
type CheckedConfig = Pick<Config, 'unknownSettings' | 'host' | 'tls' | 'trustProxy'>;

/** Structured logs. Secrets are removed from the finished line, so every caller is covered. */
export function createLogger(options: LoggerOptions): Logger {
  const write = options.write ?? standardError();
  const mayHoldSecret = createSuspicion(options.secrets);

  // Parsed again, because JSON's escapes may split a secret in the line.
  function redacted(line: string): string {
    if (!mayHoldSecret(line)) return line;
    return `${JSON.stringify(redactMembers(JSON.parse(line), options.secrets))}\n`;
  }

  return pino(
    {
      level: options.level,
      base: { role: options.role },
      ...(options.fields && { mixin: options.fields }),
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
export function createProcessLogger(
  { logLevel: level, logFormat, drop }: LogConfig,
  role: string,
  adminToken: string,
  fields?: () => object,
): Logger {
  const format = chooseLogFormat(logFormat);
  const secrets = drop.apiKey === null ? [adminToken] : [adminToken, drop.apiKey];
  return createLogger({ level, format, role, secrets, fields });
}

/** Warns of settings that are valid, but probably not what the operator wants. */
export function warnOfSettings(config: CheckedConfig, log: Logger): void {
  const { unknownSettings, host, tls, trustProxy } = config;
  for (const setting of unknownSettings) log.warn({ setting }, 'unknown setting ignored');
  if (isLoopback(host) || tls || trustProxy !== false) return;
  log.warn(
    { host },
    'the service listens beyond this machine without TLS: set TRIBUTARY_TLS_CERT and TRIBUTARY_TLS_KEY, or TRIBUTARY_TRUST_PROXY behind a proxy that has TLS',
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
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

function redactMembers(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((item) => redactMembers(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redactSecrets(name, secrets),
      isSecretName(name) ? redaction : redactMembers(member, secrets),
    ]),
  );
}
