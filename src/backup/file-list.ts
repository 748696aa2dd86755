import { once } from 'node:events';
import { Readable } from 'node:stream';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { codeOf } from '../domain/errors.ts';
import { damagedFile, fileList, type Manifest } from './manifest.ts';
import { type Checked, createMeter } from './meter.ts';
import type { BackupTarget } from './target.ts';

/** A run file or blob of a set. `path` is relative to the data dir. */
export interface SetFile extends Checked {
  readonly path: string;
}

/** One line for each file. */
export async function* writeFileList(files: readonly SetFile[]): AsyncGenerator<Uint8Array> {
  function* lines() {
    for (const { sha256, bytes, path } of files) yield `${sha256} ${bytes} ${path}\n`;
  }
  yield* compressed(Readable.from(lines(), { objectMode: false }));
}

/** The files of a set. Throws if the list is damaged. */
export async function readSetFiles(target: BackupTarget, manifest: Manifest): Promise<SetFile[]> {
  const { set, parts, files: count } = manifest;
  const path = `${set}/${fileList}`;
  const meter = createMeter();
  const files: SetFile[] = [];
  try {
    let rest = '';
    for await (const chunk of decompressed(meter.through(target.open(path)))) {
      const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [sha256 = '', bytes, name = ''] = line.split(' ');
        files.push({ sha256, bytes: Number(bytes), path: name });
      }
    }
  } catch (error) {
    if (!isDecompressionError(error)) throw error;
    throw damagedFile(target, path);
  }
  const expected = parts.find((part) => part.path === fileList);
  if (meter.result().sha256 !== expected?.sha256 || files.length !== count) {
    throw damagedFile(target, path);
  }
  return files;
}

function isDecompressionError(error: unknown): boolean {
  return codeOf(error)?.startsWith('ZSTD_') ?? false;
}

export function compressed(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return throughStream(content, createZstdCompress());
}

export function decompressed(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return throughStream(content, createZstdDecompress());
}

/** An error of the source, or of the reader, ends both. */
async function* throughStream(
  content: AsyncIterable<Uint8Array>,
  stream: ReturnType<typeof createZstdCompress>,
): AsyncGenerator<Uint8Array> {
  const fed = feed().catch((error) => stream.destroy(error));
  try {
    yield* stream;
    await fed;
  } finally {
    stream.destroy();
  }

  async function feed(): Promise<void> {
    for await (const chunk of content) {
      // A chunk may be overwritten later, and the stream keeps it until it is compressed.
      if (!stream.write(Buffer.from(chunk))) await once(stream, 'drain');
    }
    stream.end();
  }
}
