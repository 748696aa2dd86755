import { once } from 'node:events';

type Cell = string | number | null | undefined;
export type Row = Readonly<Record<string, Cell>>;

export interface OutputOptions {
  /** Print the service's JSON, for scripts. */
  readonly json?: boolean;
}

/** Prints the service's response as JSON, or the text for people. */
export function print(answer: unknown, text: string, options: OutputOptions): void {
  process.stdout.write(`${options.json ? JSON.stringify(answer, null, 2) : text}\n`);
}

/** Passes a response on as it arrives. */
export async function printStream(body: unknown): Promise<void> {
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }
}

/** Rows in aligned columns. Numbers and the columns in `alignRight` are aligned to the right. */
export function table(
  rows: readonly Row[],
  whenEmpty: string,
  alignRight: readonly string[] = [],
): string {
  const [first] = rows;
  if (!first) return whenEmpty;
  const columns = Object.keys(first).map((name) => {
    const cells = rows.map((row) => shown(row[name]));
    const width = Math.max(name.length, ...cells.map((cell) => cell.length));
    const isRight = alignRight.includes(name) || rows.every((row) => typeof row[name] === 'number');
    const pad = (text: string) => (isRight ? text.padStart(width) : text.padEnd(width));
    return { heading: pad(name.toUpperCase()), cells: cells.map(pad) };
  });
  const line = (texts: string[]) => texts.join('  ').trimEnd();
  return [
    line(columns.map((column) => column.heading)),
    ...rows.map((_, index) => line(columns.map((column) => column.cells[index] ?? ''))),
  ].join('\n');
}

/** One record, with one member per line. */
export function card(members: Row): string {
  const width = Math.max(...Object.keys(members).map((name) => name.length));
  return Object.entries(members)
    .map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`)
    .join('\n');
}

function shown(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  return typeof value === 'number' ? count(value) : printable(value);
}

/** Escapes control characters, for example in file names, so they do not reach the terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    /\p{Cc}/gu,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** A moment in the local time zone. `--json` has it as the service sent it. */
export function time(moment: string): string;
export function time(moment: string | null | undefined): string | null;
export function time(moment: string | null | undefined): string | null {
  // Swedish writes 2026-01-31 13:05:12.
  return moment ? new Date(moment).toLocaleString('sv-SE') : null;
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = count === 0 ? 0 : Math.min(Math.floor(Math.log2(count) / 10), units.length - 1);
  return `${(count / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Warnings of the service, one per line, before the text they belong to. */
export function withWarnings(warnings: readonly string[] | undefined, text: string): string {
  return [...(warnings ?? []).map((warning) => `Warning: ${warning}`), text].join('\n');
}
