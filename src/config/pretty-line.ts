import { styleText } from 'node:util';

const colours = {
  trace: 'gray',
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
} as const;

interface LoggedError {
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

interface LogLine {
  readonly level: keyof typeof colours;
  readonly time: string;
  readonly role: string;
  readonly msg?: string;
  readonly err?: LoggedError;
}

/** A JSON log line as text for people: time, level, role, message and fields, then the error's stack. */
export function prettyLine(line: string): string {
  const parsed: unknown = JSON.parse(line);
  // A field of the same name replaces a member. Such a line stays JSON: logging must never fail.
  if (!isLogLine(parsed)) return printable(line);
  const { level, time, role, msg = '', err, ...fields } = parsed;
  // Coloured only on a terminal, and not if NO_COLOR is set.
  const severity = styleText(colours[level], level.toUpperCase().padEnd(5), {
    stream: process.stderr,
  });
  const members = Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`);
  const text = [msg.replaceAll('\n', '\\n'), ...members].join(' ');
  const stack = err ? `\n${errorText(err).replaceAll(/^/gm, '  ')}` : '';
  const clock = time.slice('2026-01-31T'.length);
  return `${clock} ${severity} ${role.padEnd('supervisor'.length)} ${printable(text + stack)}\n`;
}

function isLogLine(value: unknown): value is LogLine {
  const { level, time, role, msg = '' } = value as Record<string, unknown>;
  const hasTexts = [level, time, role, msg].every((member) => typeof member === 'string');
  return hasTexts && Object.hasOwn(colours, level as string);
}

function fieldText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function errorText({ message, stack, cause }: LoggedError): string {
  const text = String(stack ?? message ?? 'unknown error');
  return cause ? `${text}\ncaused by: ${errorText(cause)}` : text;
}

/** Control characters, for example in the name of a file, must not reach a terminal. */
function printable(text: string): string {
  return text.replaceAll(
    /[^\n\P{Cc}]/gu,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
