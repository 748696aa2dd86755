import { type DiskStore, openDiskStore } from '../../src/objects/disk/disk-store.ts';
import { VersionGone } from '../../src/objects/port.ts';
import { openDatabase } from '../../src/records/database/connection.ts';
import { createObjectIndex } from '../../src/records/objects/object-index.ts';
import { createUploads } from '../../src/records/objects/uploads.ts';
import { randomOf, textOfLines } from './seeded.ts';

export interface DiskStoreProgramOptions {
  readonly url: string;
  readonly schema: string;
  readonly folder: string;
  readonly seed: number;
}

/** The next or current content of a key: the number of lines of its text; null for nothing. */
export interface KeyReport {
  readonly event: 'begun' | 'done';
  readonly key: string;
  readonly lines: number | null;
}

const writers = 4;
const keysPerWriter = 3;
/** Texts of up to 1.2 MB, so something is always half written. */
const maxLines = 60_000;
const headers = { contentType: 'text/plain', metadata: {} };

/** Writes without end to its own keys and to one that all writers share. */
async function writeForever(objects: DiskStore, writer: number, random: (below: number) => number) {
  for (;;) {
    const isShared = random(5) === 0;
    const key = isShared ? 'shared' : `${writer}/${random(keysPerWriter)}`;
    const lines = 1 + random(maxLines);
    switch (random(5)) {
      case 0:
      case 1:
        await reported(key, lines, () => objects.put(key, chunked(lines)));
        break;
      case 2:
        await reported(key, lines, () => putInParts(objects, key, lines, 2 + random(4)));
        break;
      case 3:
        await copyShared(objects, key);
        break;
      default:
        await reported(key, null, () => objects.delete([key]));
        await abandonPart(objects, key);
    }
  }
}

async function reported(
  key: string,
  lines: number | null,
  work: () => Promise<unknown>,
): Promise<void> {
  await report({ event: 'begun', key, lines });
  await work();
  await report({ event: 'done', key, lines });
}

function report(message: KeyReport): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.send!(message, () => resolve());
  return promise;
}

async function putInParts(objects: DiskStore, key: string, lines: number, parts: number) {
  const text = Buffer.from(textOfLines(lines));
  const uploadId = await objects.beginUpload(key, headers);
  const size = Math.ceil(text.length / parts);
  const listed = await Promise.all(
    Array.from({ length: parts }, async (_, n) => {
      const content = chunks(text.subarray(n * size, (n + 1) * size));
      const part = await objects.putPart(uploadId, n + 1, content);
      if (part === 'no_such_upload') throw new Error('the upload no longer exists');
      return { partNumber: n + 1, etag: part.etag };
    }),
  );
  const completed = await objects.completeUpload(uploadId, listed);
  if (typeof completed === 'string') throw new Error(completed);
}

async function copyShared(objects: DiskStore, key: string): Promise<void> {
  const source = await objects.stat('shared');
  if (!source) return;
  const lines = source.size / textOfLines(1).length;
  try {
    await reported(key, lines, () => objects.copy(source, key));
  } catch (error) {
    if (!(error instanceof VersionGone)) throw error;
  }
}

async function abandonPart(objects: DiskStore, key: string): Promise<void> {
  const uploadId = await objects.beginUpload(key, headers);
  await objects.putPart(uploadId, 1, chunked(1_000));
}

function chunked(lines: number): AsyncGenerator<Uint8Array> {
  return chunks(Buffer.from(textOfLines(lines)));
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const size = 65_536;
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size);
  }
}

const { url, schema, folder, seed }: DiskStoreProgramOptions = JSON.parse(process.argv[2]!);
const db = openDatabase({ url, schema, maxConnections: writers });
const objects = await openDiskStore(folder, createObjectIndex(db), createUploads(db));
await Promise.all(
  Array.from({ length: writers }, (_, writer) =>
    writeForever(objects, writer, randomOf(`${seed}:${writer}`)),
  ),
);
