import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigError } from '../config/settings.ts';
import { codeOf } from '../domain/errors.ts';
import { linesOf, parseLine, type SuppressionEntry } from './suppression-lines.ts';

export const suppressionFileName = 'suppressions';

interface Position {
  readonly journalId: string;
  readonly bytes: number;
}

interface SuppressionFile {
  append(entries: Iterable<SuppressionEntry> | AsyncIterable<SuppressionEntry>): Promise<Position>;
  /** Where the file ends. Null if there is none. */
  end(): Promise<Position | null>;
  parts(): AsyncIterable<Position>;
  read(file: Position, from: number, onDamaged: () => void): AsyncIterable<SuppressionEntry>;
}

const heading = 'tributary-suppressions';

/**
 * A text file that only grows. Its first line has an id. Damaged lines, such as one that a crash cut off,
 * are skipped. The file has digests only, so it names no device.
 */
export function openSuppressionFile(dataDir: string): SuppressionFile {
  const path = join(dataDir, suppressionFileName);

  return {
    async append(entries) {
      await using file = await openOrCreate(path);
      const { size } = await file.stat();
      const journalId = await readId(file, path);
      // What a crash left becomes a line of its own, which has no valid checksum.
      if (!(await endsWithLine(file, size))) await file.appendFile('\n');
      for await (const entry of entries) {
        for (const line of linesOf(entry)) await file.appendFile(line);
      }
      await file.sync();
      return { journalId, bytes: (await file.stat()).size };
    },

    end,

    async *parts() {
      const position = await end();
      if (position) yield position;
    },

    async *read(_file, from, onDamaged) {
      const lines = createInterface({
        input: createReadStream(path, { start: from, encoding: 'latin1' }),
        crlfDelay: Number.POSITIVE_INFINITY,
      });
      for await (const line of lines) {
        const entry = parseLine(line);
        if (entry) yield entry;
        else if (line !== '' && !line.startsWith(heading)) onDamaged();
      }
    },
  };

  async function end(): Promise<Position | null> {
    await using file = await openExisting(path);
    if (!file) return null;
    return { journalId: await readId(file, path), bytes: (await file.stat()).size };
  }
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Opens it so that every write is an append, also beside other processes. */
async function openOrCreate(path: string): Promise<FileHandle> {
  const file = await open(path, 'a+', 0o600);
  if ((await file.stat()).size > 0) return file;
  // If two processes do this at once, the first line counts.
  await file.appendFile(`${heading} ${randomBytes(16).toString('hex')}\n`);
  await file.sync();
  await using folder = await open(dirname(path));
  await folder.sync();
  return file;
}

async function readId(file: FileHandle, path: string): Promise<string> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(128), position: 0 });
  const [line = ''] = buffer.toString('latin1', 0, bytesRead).split('\n', 1);
  const [, id] = new RegExp(`^${heading} ([0-9a-f]{32})$`).exec(line) ?? [];
  if (id) return id;
  throw new ConfigError(
    `${path} is damaged: its first line is not that of a list of suppressions. Restore the file from a backup, or move it away to begin a new one`,
  );
}

async function endsWithLine(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return buffer.toString() === '\n';
}
