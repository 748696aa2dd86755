import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { LogLevel } from './config.ts';

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
  const write = options.write ?? ((line) => writeSync(process.stderr.fd, line));
  return pino(
    {
      level: options.level,
      base: { role: options.role },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    { write: (line: string) => write(withoutSecrets(line, options.secrets)) },
  );
}

/** Only what explains an error: a database's own errors carry whole rows besides. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    type: error.name,
    message: error.message,
    code: 'code' in error ? error.code : undefined,
    stack: error.stack,
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}

// Keys and tokens of ours, authorization headers, passwords in addresses, and AWS signatures.
const secretShapes =
  /trib_(?:key|admin)_[\w-]+|\bBearer\s+[\w.~+/=-]+|(?<=:\/\/[^\s:@/"]*:)[^\s@/"]+(?=@)|(?<=X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"]+|(?<="(?:secretAccessKey|password|api_key|user_token)\\?":\\?")[^"\\]+/gi;

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let cleaned = text.replace(secretShapes, '[redacted]');
  for (const secret of secrets) cleaned = cleaned.replaceAll(secret, '[redacted]');
  return cleaned;
}
