import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The lines of a file, or of standard input for `-`, without empty ones and comments. */
export async function readIdentifiers(file: string): Promise<string[]> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  const identifiers: string[] = [];
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const text = line.replace(/^\uFEFF/, '').trim();
    if (text !== '' && !text.startsWith('#')) identifiers.push(text);
  }
  return identifiers;
}
